import type { Kernel } from '../kernel/kernel.js'
import { admitted } from '../admission/admit.js'
import { apiVersionOf, type ResourceDefinition } from '../schema/resources.js'
import { isRecord } from '../schema/schemas.js'
import { admitObject, readObject } from '../schema/validate.js'
import { alreadyExists, ApiError, badRequest, invalid, notFound } from '../store/api-error.js'
import { sameJson, timestamp, type K8sObject, type StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import { getObject } from './read-objects.js'
import type { ResourcePath } from '../schema/resource-path.js'
import { withAddresses } from './service-addresses.js'

/** Where writes go: a cluster's store and its virtual time and randomness. */
export interface WriteTarget {
  readonly store: ObjectStore
  readonly kernel: Kernel
}

export interface WriteOptions {
  /** Everything but the write itself: the answer is what would be stored. */
  dryRun: boolean
}

/** POST to a collection. Throws ApiError 400, 403, 404 (namespace), 409, 422. */
export function createObject(
  target: WriteTarget,
  path: ResourcePath,
  body: unknown,
  options: WriteOptions,
): StoredObject {
  const { definition } = path
  const object = admitObject(definition, newcomer(path, body))
  checkNamespace(target.store, path, object)
  const ready = admitted(target.store, definition.key, withAddresses(target, object))
  return options.dryRun ? rehearseCreate(target, definition, ready) : target.store.create(definition.key, ready)
}

/** PUT of an object or of its status. Throws ApiError 400, 404, 409, 422. */
export function updateObject(
  target: WriteTarget,
  path: ResourcePath & { name: string },
  body: unknown,
  options: WriteOptions,
): StoredObject {
  const { definition } = path
  const old = getObject(target.store, path)
  const given = inPlace(path, body)
  const next = path.subresource === 'status' ? withStatus(definition, old, given) : withSpec(path, old, given)
  const expectVersion = next.metadata.resourceVersion !== undefined
  if (options.dryRun) return rehearseUpdate(old, next)
  return target.store.update(definition.key, next, { expectVersion })
}

/** The body as an object of this path: the namespace is filled in, and must be the path's when it is given. */
function inPlace(path: ResourcePath, body: unknown): Record<string, unknown> {
  if (!isRecord(body)) throw badRequest('the body must be a JSON object')
  const metadata = isRecord(body.metadata) ? body.metadata : {}
  checkSame('namespace', metadata.namespace, path.namespace)
  if (path.name !== null) checkSame('name', metadata.name, path.name)
  const { namespace: _given, ...rest } = metadata
  const place = path.namespace === null ? {} : { namespace: path.namespace }
  return { ...body, metadata: { ...rest, ...(path.name === null ? {} : { name: path.name }), ...place } }
}

function checkSame(what: 'name' | 'namespace', given: unknown, expected: string | null): void {
  if (given === undefined || given === null || given === '' || given === expected) return
  const where = what === 'name' ? 'the name on the URL' : 'the namespace of the request'
  throw badRequest(
    `the ${what} of the object (${shown(given)}) does not match ${where} (${expected ?? 'none: cluster scope'})`,
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** What only the server may say of an object's identity and history. */
const SERVER_FIELDS = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation']

/** A new object has no identity, history or status of its own yet. */
function newcomer(path: ResourcePath, body: unknown): Record<string, unknown> {
  const object = inPlace(path, body)
  const metadata = object.metadata as Record<string, unknown>
  if (metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
  const { key } = path.definition
  return { ...(KEEPS_STATUS.has(key) ? object : omit(object, ['status'])), metadata: omit(metadata, SERVER_FIELDS) }
}

/** A node that registers itself says at once what it has. */
const KEEPS_STATUS: ReadonlySet<string> = new Set(['nodes'])

function omit(object: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)))
}

function withSpec(path: ResourcePath, old: StoredObject, given: Record<string, unknown>): K8sObject {
  const { definition } = path
  const separateStatus = definition.subresources.includes('status')
  const ownStatus = old.status === undefined ? {} : { status: old.status }
  const body = separateStatus ? { ...omit(given, ['status']), ...ownStatus } : given
  const next = admitObject(definition, withAddressesKept(body, old), old)
  if (!definition.group.includes('chaos-mesh') || next.metadata.resourceVersion) return next
  const message = 'Invalid value: 0: must be specified for an update'
  const cause = { reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }
  throw invalid(definition, old.metadata.name, [cause])
}

/** Addresses that the cluster gave stay when a client leaves them out, as kubectl's patches and replaces do. */
function withAddressesKept<T extends Record<string, unknown>>(next: T, old: StoredObject): T {
  if (old.kind !== 'Service' || !isRecord(next.spec)) return next
  const before = old.spec as Record<string, unknown>
  const kept = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].flatMap((field) =>
    before[field] === undefined ? [] : [[field, before[field]] as const],
  )
  return { ...next, spec: { ...Object.fromEntries(kept), ...next.spec } }
}

function withStatus(definition: ResourceDefinition, old: StoredObject, given: Record<string, unknown>): K8sObject {
  const { status, metadata } = readObject(definition, given)
  const { resourceVersion } = metadata
  return { ...old, metadata: { ...old.metadata, resourceVersion }, status }
}

function checkNamespace(store: ObjectStore, path: ResourcePath, object: K8sObject): void {
  const { definition, namespace } = path
  if (!definition.namespaced) return
  const found = namespace === null ? undefined : store.get('namespaces', null, namespace)
  if (!found) throw notFound({ plural: 'namespaces', group: '' }, namespace ?? '')
  if (found.metadata.deletionTimestamp === undefined) return
  const name = object.metadata.name ?? object.metadata.generateName ?? ''
  const plural = definition.group ? `${definition.plural}.${definition.group}` : definition.plural
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  throw new ApiError(403, 'Forbidden', `${plural} "${name}" is forbidden: ${why}`, {
    name,
    kind: definition.plural,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}

/** A stream of its own, so that a rehearsal never shifts what real writes draw. */
function rehearseCreate(target: WriteTarget, definition: ResourceDefinition, object: K8sObject): StoredObject {
  const random = target.kernel.stream('dry-run')
  const { name, generateName = '', namespace = null } = object.metadata
  const chosen = name || `${generateName}${random.name(5)}`
  if (target.store.get(definition.key, namespace, chosen)) throw alreadyExists(definition, chosen)
  const generation = definition.hasGeneration ? { generation: 1 } : {}
  const made = { name: chosen, uid: random.uuid(), creationTimestamp: timestamp(target.kernel.now), ...generation }
  return { ...object, apiVersion: apiVersionOf(definition), metadata: { ...object.metadata, ...made } } as StoredObject
}

function rehearseUpdate(old: StoredObject, next: K8sObject): StoredObject {
  const { generation, ...kept } = old.metadata
  const bump = generation !== undefined && !sameJson(old.spec, next.spec) ? 1 : 0
  const metadata = { ...kept, ...next.metadata, resourceVersion: old.metadata.resourceVersion }
  return { ...next, metadata: generation === undefined ? metadata : { ...metadata, generation: generation + bump } }
}
