import { type Api } from './api.js'
import { isRefused, RefusedError } from './errors.js'
import { type Collection, type ObjectRef } from './object.js'

export interface Resource {
  /** Plural, as it stands in paths. */
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** API paths of kinds, from the server's own discovery documents (each kept; asked for again for a kind not in it). */
export interface Paths {
  object(ref: ObjectRef): Promise<string>
  /** Without the query. */
  collection(of: Pick<Collection, 'apiVersion' | 'kind' | 'namespace'>): Promise<string>
  namespaced(of: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<boolean>
  knows(of: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<boolean>
  /** Throws RefusedError 404 for a kind that the cluster does not know. */
  resource(of: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<Resource>
}

export function createPaths(api: Api): Paths {
  const known = new Map<string, Resource[]>()
  const root = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)

  const resourcesOf = async (apiVersion: string): Promise<Resource[]> => {
    try {
      const { resources } = await api.json<{ resources: Resource[] }>({ method: 'GET', path: root(apiVersion) })
      known.set(apiVersion, resources)
      return resources
    } catch (error) {
      if (isRefused(error, 404)) return []
      throw error
    }
  }
  const find = async ({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): Promise<Resource | undefined> =>
    among(known.get(apiVersion) ?? [], kind) ?? among(await resourcesOf(apiVersion), kind)

  const among = (resources: readonly Resource[], kind: string): Resource | undefined =>
    resources.find((r) => r.kind === kind && !r.name.includes('/'))

  const resource: Paths['resource'] = async ({ apiVersion, kind }) => {
    const found = await find({ apiVersion, kind })
    if (!found) throw new RefusedError(404, 'UnknownKind', `the cluster does not know ${kind} of ${apiVersion}`)
    return found
  }
  const collection: Paths['collection'] = async (of) => {
    const { name, namespaced } = await resource(of)
    const scope = namespaced && of.namespace ? `/namespaces/${encodeURIComponent(of.namespace)}` : ''
    return `${root(of.apiVersion)}${scope}/${name}`
  }
  return {
    collection,
    object: async ({ apiVersion, kind, metadata }) =>
      `${await collection({ apiVersion, kind, namespace: metadata.namespace })}/${encodeURIComponent(metadata.name)}`,
    namespaced: async (of) => (await resource(of)).namespaced,
    knows: async (of) => (await find(of)) !== undefined,
    resource,
  }
}
