import { type Api } from './api.js'
import { isRefused, RefusedError } from './errors.js'
import { type ClusterObject, type Collection, type ObjectRef } from './object.js'
import { type Paths } from './paths.js'

export interface WriteOptions {
  /** The server checks and answers, but keeps nothing. */
  readonly dryRun?: boolean
}

export interface LogOptions {
  readonly container?: string
  /** Of the container that ran before the last restart. */
  readonly previous?: boolean
  readonly tailLines?: number
}

/** The objects of a cluster. All methods throw RefusedError with the server's words, or ClusterLostError. */
export interface Objects {
  /** Throws RefusedError 409 when it is there already. */
  create<T extends ClusterObject>(object: T, options?: WriteOptions): Promise<T>
  /** Creates, or takes what a first attempt made: `owned` tells whether the object found is ours; else 409 is thrown. */
  adopt<T extends ClusterObject>(object: T, owned: (found: ClusterObject) => boolean): Promise<T>
  /** Null when it is not there. */
  get<T extends ClusterObject>(ref: ObjectRef): Promise<T | null>
  list<T extends ClusterObject>(of: Collection): Promise<T[]>
  /** A JSON merge patch (RFC 7386). */
  patch<T extends ClusterObject>(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<T>
  /**
   * What would be there if the object were applied (server-side, forced): its fields laid over those that are there, lists
   * merged by their keys. The server keeps nothing.
   */
  rehearseApply<T extends ClusterObject>(object: T): Promise<T>
  /** False when it was not there. Dependents go in the background. */
  remove(ref: ObjectRef, options?: { graceSeconds?: number }): Promise<boolean>
  /** Asks for a pod to go, which its disruption budgets may refuse: RefusedError 429. */
  evict(pod: ObjectRef): Promise<void>
  log(pod: { namespace: string; name: string }, options?: LogOptions): Promise<string>
  /** Whether objects of the kind live in namespaces. */
  namespaced(of: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<boolean>
  /** Whether the cluster has the kind: what a cluster can do is asked, not guessed from what it is. */
  knows(of: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<boolean>
  /** API path of a collection, as a watch of the Clock and the prober want it. */
  path(of: Collection): Promise<string>
}

// Strict: a field that the server does not know is an error, not a field that is dropped.
const query = ({ dryRun }: WriteOptions = {}) => `?fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`

const selectorOf = (labels: Record<string, string> | undefined): string => {
  const text = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return text.length ? `?labelSelector=${encodeURIComponent(text.join(','))}` : ''
}

export function createObjects(api: Api, paths: Paths): Objects {
  const path: Objects['path'] = async (of) => `${await paths.collection(of)}${selectorOf(of.labels)}`
  const create = async <T extends ClusterObject>(object: T, options?: WriteOptions): Promise<T> => {
    const { apiVersion, kind, metadata } = object
    const target = await paths.collection({ apiVersion, kind, namespace: metadata.namespace })
    return api.json<T>({ method: 'POST', path: `${target}${query(options)}`, body: object })
  }
  const get = async <T extends ClusterObject>(ref: ObjectRef): Promise<T | null> => {
    try {
      return await api.json<T>({ method: 'GET', path: await paths.object(ref) })
    } catch (error) {
      if (isRefused(error, 404)) return null
      throw error
    }
  }
  return {
    create,
    get,
    path,
    evict: async (pod) => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: pod.metadata }
      await api.json({ method: 'POST', path: `${await paths.object(pod)}/eviction`, body })
    },
    namespaced: (of) => paths.namespaced(of),
    knows: (of) => paths.knows(of),
    adopt: async <T extends ClusterObject>(object: T, owned: (found: ClusterObject) => boolean) => {
      try {
        return await create(object)
      } catch (error) {
        if (!isRefused(error, 409)) throw error
        const found = await get<T>(object)
        if (found && owned(found) && !found.metadata.deletionTimestamp) return found
        throw new RefusedError(409, 'AlreadyExists', found ? notOurs(object) : error.message)
      }
    },
    list: async <T extends ClusterObject>(of: Collection) => {
      const { items } = await api.json<{ items: T[] }>({ method: 'GET', path: await path(of) })
      // Servers leave kind and apiVersion out of the items of a list.
      return items.map((item) => ({ ...item, apiVersion: of.apiVersion, kind: of.kind }))
    },
    patch: async <T extends ClusterObject>(ref: ObjectRef, patch: unknown, options?: WriteOptions) =>
      api.json<T>({
        method: 'PATCH',
        path: `${await paths.object(ref)}${query(options)}`,
        body: patch,
        contentType: 'application/merge-patch+json',
      }),
    rehearseApply: async <T extends ClusterObject>(object: T) =>
      api.json<T>({
        method: 'PATCH',
        path: `${await paths.object(object)}${query({ dryRun: true })}&fieldManager=ordeal&force=true`,
        body: object,
        contentType: 'application/apply-patch+yaml',
      }),
    remove: async (ref, options = {}) => {
      const grace = options.graceSeconds === undefined ? '' : `&gracePeriodSeconds=${options.graceSeconds}`
      try {
        await api.text({ method: 'DELETE', path: `${await paths.object(ref)}?propagationPolicy=Background${grace}` })
        return true
      } catch (error) {
        if (isRefused(error, 404)) return false
        throw error
      }
    },
    log: async (pod, options = {}) => {
      const of = { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod.name, namespace: pod.namespace } }
      const text = await api.text({ method: 'GET', path: `${await paths.object(of)}/log${logQuery(options)}` })
      if (text.startsWith(LOG_IS_GONE)) throw new RefusedError(404, 'NotFound', text.trim())
      return text
    },
  }
}

/** A kubelet whose runtime has removed the container says so in the place of the log, with status 200. */
const LOG_IS_GONE = 'unable to retrieve container logs for '

const notOurs = ({ kind, metadata }: ClusterObject): string =>
  `${kind}/${metadata.name} is there already and was not made by this cycle`

function logQuery({ container, previous, tailLines }: LogOptions): string {
  const parts = [
    container && `container=${encodeURIComponent(container)}`,
    previous && 'previous=true',
    tailLines && `tailLines=${tailLines}`,
  ].filter(Boolean)
  return parts.length ? `?${parts.join('&')}` : ''
}
