import { ApiError, badRequest, conflict } from '../store/api-error.js'
import type { StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import { readStructure } from '../schema/structure.js'
import { filterOf } from './filter.js'
import { getObject, wholeNumber } from './read-objects.js'
import { json, type ObjectList, type Reply } from './reply.js'
import type { ResourcePath } from '../schema/resource-path.js'

/** `metav1.DeleteOptions`, from the body or the query. */
export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagationPolicy?: string
  preconditions?: { uid?: string; resourceVersion?: string }
  orphanDependents?: boolean
  dryRun?: string[]
}

const POLICIES = ['Background', 'Foreground', 'Orphan']
const HOLDING: Readonly<Record<string, string>> = { Foreground: 'foregroundDeletion', Orphan: 'orphan' }
const DEFAULT_GRACE_SECONDS = 30

/** Reads the options of a deletion; the query completes the body. Throws ApiError 400. */
export function readDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const { value, problems } = readStructure(body ?? {}, 'meta.v1.DeleteOptions')
  const problem = problems[0]
  if (problem) throw badRequest(`DeleteOptions: ${problem.field}: ${problem.message}`)
  const grace = wholeNumber(query, 'gracePeriodSeconds')
  const policy = query.get('propagationPolicy')
  const options = {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(query.get('dryRun') ? { dryRun: [query.get('dryRun') ?? ''] } : {}),
    ...(value as DeleteOptions),
  }
  if (options.propagationPolicy !== undefined && !POLICIES.includes(options.propagationPolicy)) {
    throw badRequest(`propagationPolicy must be one of ${POLICIES.join(', ')}`)
  }
  return options
}

/** DELETE of one object: the object while something holds it, else a Status. Throws ApiError 404, 409. */
export function deleteObject(store: ObjectStore, path: ResourcePath & { name: string }, options: DeleteOptions): Reply {
  const { definition } = path
  const old = getObject(store, path)
  checkPreconditions(path, old, options)
  checkDeletable(path)
  const last = options.dryRun?.includes('All') ? old : remove(store, path, old, options)
  const stays = store.get(definition.key, path.namespace, path.name) !== undefined
  if (stays) return { kind: 'object', code: 200, definition, object: last }
  const { group, plural } = definition
  const details = { name: path.name, ...(group ? { group } : {}), kind: plural, uid: old.metadata.uid }
  return json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details })
}

/** DELETE of a collection: everything that the selectors let through. */
export function deleteCollection(
  store: ObjectStore,
  path: ResourcePath,
  query: URLSearchParams,
  options: DeleteOptions,
): Reply {
  const { definition, namespace } = path
  const found = store.list(definition.key, namespace).filter(filterOf(definition, query))
  const items = options.dryRun?.includes('All') ? found : found.map((object) => remove(store, path, object, options))
  const list: ObjectList = { items, resourceVersion: store.resourceVersion }
  return { kind: 'list', definition, list }
}

/** Removes one object as the API does: finalizers of the policy first, a pod after its grace period. */
export function remove(
  store: ObjectStore,
  path: Pick<ResourcePath, 'definition'>,
  object: StoredObject,
  options: DeleteOptions,
): StoredObject {
  const { key } = path.definition
  const { namespace = null, name, finalizers = [] } = object.metadata
  const policy = options.orphanDependents ? 'Orphan' : options.propagationPolicy
  const holding = HOLDING[policy ?? '']
  if (holding && !finalizers.includes(holding)) {
    store.update(key, { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, holding] } })
  }
  if (key === 'namespaces') return terminateNamespace(store, object)
  return store.remove(key, namespace, name, { graceSeconds: key === 'pods' ? podGrace(object, options) : 0 })
}

function terminateNamespace(store: ObjectStore, object: StoredObject): StoredObject {
  store.remove('namespaces', null, object.metadata.name)
  const marked = store.get('namespaces', null, object.metadata.name)
  if (!marked) return object
  return store.update('namespaces', { ...marked, status: { ...(marked.status as object), phase: 'Terminating' } })
}

/** Seconds that a pod may take; none when it never started or has ended. */
function podGrace(object: StoredObject, options: DeleteOptions): number {
  const spec = object.spec as { nodeName?: string; terminationGracePeriodSeconds?: number }
  const { phase } = (object.status ?? {}) as { phase?: string }
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0
  return Math.max(0, options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS)
}

const KEPT_NAMESPACES = ['default', 'kube-system', 'kube-public']

function checkDeletable({ definition, name }: ResourcePath): void {
  if (definition.key !== 'namespaces' || name === null || !KEPT_NAMESPACES.includes(name)) return
  const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`
  throw new ApiError(403, 'Forbidden', message, { name, kind: 'namespaces' })
}

function checkPreconditions(path: ResourcePath, old: StoredObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {}
  const { name } = old.metadata
  if (uid && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
    throw conflict(path.definition, name, why)
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) {
    const versions = `${resourceVersion}, ResourceVersion in object meta: ${old.metadata.resourceVersion}`
    throw conflict(path.definition, name, `Precondition failed: ResourceVersion in precondition: ${versions}`)
  }
}
