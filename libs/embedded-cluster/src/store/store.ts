import type { RandomStream } from '../kernel/random.js'
import { definitionOf, RESOURCES, type ResourceDefinition, type ResourceKey } from '../schema/resources.js'
import type { LabelSelector } from '../schema/selectors.js'
import { alreadyExists, conflict, notFound } from './api-error.js'
import { Collection } from './collection.js'
import { withIdentity } from './identity.js'
import { freezeDeep, sameJson, timestamp, type Change, type K8sObject, type StoredObject } from './object.js'

export interface StoreOptions {
  /** Virtual time, for timestamps. */
  readonly clock: { readonly now: number }
  /** Where uids and generated names come from. */
  readonly random: RandomStream
  /** How many changes per collection a watch may look back; older ones are answered with 410. */
  readonly history?: number
}

export interface UpdateOptions {
  /** Refuse with 409 unless the object's resourceVersion is the stored one. */
  expectVersion?: boolean
}

export interface RemoveOptions {
  /**
   * Above 0: only mark the object (deletionTimestamp that far ahead), whoever owns its end removes it later. A second
   * removal can only shorten what is left.
   */
  graceSeconds?: number
}

const DEFAULT_HISTORY = 4096

/**
 * All objects of a cluster. Objects are immutable: a write replaces one and shares what did not change. One counter
 * gives every write of any collection its resourceVersion. Listeners are called at once and in order of
 * subscription; they must not write, only schedule work through the kernel.
 */
export class ObjectStore {
  private readonly collections = new Map<ResourceKey, Collection>()
  /** Of custom resources, by key: their versions share it. */
  private readonly custom = new Map<ResourceKey, readonly ResourceDefinition[]>()
  private counter = 1

  constructor(private readonly options: StoreOptions) {
    for (const { key } of RESOURCES) this.collections.set(key, new Collection(key, this.history))
  }

  /** Everything that it can hold. */
  get definitions(): readonly ResourceDefinition[] {
    return this.custom.size === 0 ? RESOURCES : [...RESOURCES, ...this.customDefinitions]
  }

  /** The kinds that were brought. */
  get customDefinitions(): readonly ResourceDefinition[] {
    return [...this.custom.values()].flat()
  }

  holds(resource: ResourceKey): boolean {
    return this.collections.has(resource)
  }

  /** Holds custom resources from now on: versions of one kind. */
  define(definitions: readonly ResourceDefinition[]): void {
    const [first] = definitions
    if (!first) return
    this.custom.set(first.key, definitions)
    if (!this.holds(first.key)) this.collections.set(first.key, new Collection(first.key, this.history))
  }

  /** Forgets custom resources with all that there are. */
  undefine(resource: ResourceKey): void {
    this.custom.delete(resource)
    this.collections.delete(resource)
  }

  private definitionOf(resource: ResourceKey): ResourceDefinition {
    return this.custom.get(resource)?.[0] ?? definitionOf(resource)
  }

  private get history(): number {
    return this.options.history ?? DEFAULT_HISTORY
  }

  /** The version of the newest write. */
  get resourceVersion(): string {
    return String(this.counter)
  }

  get<T extends StoredObject = StoredObject>(
    resource: ResourceKey,
    namespace: string | null,
    name: string,
  ): T | undefined {
    return this.collection(resource).get(namespace, name) as T | undefined
  }

  /** In order of creation; all namespaces unless one is named. */
  list<T extends StoredObject = StoredObject>(resource: ResourceKey, namespace?: string | null): T[] {
    return this.collection(resource).list(namespace ?? null) as T[]
  }

  /** Those whose controlling owner has that uid, or, for null, those without one; in order of creation. */
  listOwned<T extends StoredObject = StoredObject>(
    resource: Exclude<ResourceKey, 'events'>,
    namespace: string,
    ownerUid: string | null,
  ): T[] {
    return this.collection(resource).ownedBy(namespace, ownerUid) as T[]
  }

  /** Those of a namespace that a selector means, in order of creation; none without a selector. */
  listMatching<T extends StoredObject = StoredObject>(
    resource: Exclude<ResourceKey, 'events'>,
    namespace: string,
    selector: LabelSelector | undefined,
  ): T[] {
    return selector ? (this.collection(resource).matching(namespace, selector) as T[]) : []
  }

  /** How many objects the collection holds. */
  count(resource: ResourceKey): number {
    return this.collection(resource).size
  }

  /**
   * Adds an object; sets uid, resourceVersion, creationTimestamp, generation, and the name where only `generateName`
   * is given. Throws ApiError 409 AlreadyExists.
   */
  create<T extends StoredObject = StoredObject>(resource: ResourceKey, object: K8sObject): T {
    const definition = this.definitionOf(resource)
    const collection = this.collection(resource)
    const stored = withIdentity(this.admit(definition, object))
    const { namespace, name } = stored.metadata
    if (collection.get(namespace ?? null, name)) throw alreadyExists(definition, name)
    collection.apply({ type: 'ADDED', object: freezeDeep(stored), old: null })
    return stored as T
  }

  /**
   * Replaces an object. Identity, creation and deletion marks stay as they are; the generation counts changes of the
   * spec; a write that changes nothing keeps the resourceVersion and tells nobody. An object that waits for its
   * finalizers goes when the last one is taken off. Throws ApiError 404 and 409.
   */
  update<T extends StoredObject = StoredObject>(
    resource: ResourceKey,
    object: K8sObject,
    options: UpdateOptions = {},
  ): T {
    const definition = this.definitionOf(resource)
    const old = this.mustGet(definition, object.metadata.namespace ?? null, object.metadata.name ?? '')
    this.checkPreconditions(definition, old, object, options)
    const next = this.successor(definition, old, object)
    if (sameJson(next, old)) return old as T
    next.metadata.resourceVersion = this.nextVersion()
    const gone = isFinished(next)
    this.collection(resource).apply({ type: gone ? 'DELETED' : 'MODIFIED', object: freezeDeep(next), old })
    return next as T
  }

  /**
   * Deletes an object, or marks it when finalizers or a grace period hold it. Returns its last state. Throws
   * ApiError 404.
   */
  remove<T extends StoredObject = StoredObject>(
    resource: ResourceKey,
    namespace: string | null,
    name: string,
    options: RemoveOptions = {},
  ): T {
    const old = this.mustGet(this.definitionOf(resource), namespace, name)
    const next = this.marked(old, options.graceSeconds ?? 0)
    if (sameJson(next, old)) return old as T
    next.metadata.resourceVersion = this.nextVersion()
    const gone = isFinished(next)
    this.collection(resource).apply({ type: gone ? 'DELETED' : 'MODIFIED', object: freezeDeep(next), old })
    return next as T
  }

  /** Calls the receiver's method with every later change, in a fork that of the receiver's copy. */
  subscribe<M extends string>(
    resource: ResourceKey,
    receiver: { [name in M]: (change: Change, resource: ResourceKey) => void },
    method: M,
  ): void {
    this.collection(resource).subscribe({ receiver, method })
  }

  /** For those outside the engine: calls a function with every later change; returns what ends that. A fork starts without. */
  observe(resource: ResourceKey, observer: (change: Change) => void): () => void {
    return this.collection(resource).observe(observer)
  }

  /** The changes after a version, or 'expired' when some of them are no longer kept. */
  changesSince(resource: ResourceKey, resourceVersion: string): readonly Change[] | 'expired' {
    return this.collection(resource).changesSince(Number(resourceVersion))
  }

  private collection(resource: ResourceKey): Collection {
    const collection = this.collections.get(resource)
    if (!collection) throw new Error(`no resource ${resource}`)
    return collection
  }

  private mustGet(definition: ResourceDefinition, namespace: string | null, name: string): StoredObject {
    const object = this.collection(definition.key).get(namespace, name)
    if (!object) throw notFound(definition, name)
    return object
  }

  private nextVersion(): string {
    return String(++this.counter)
  }

  private admit(definition: ResourceDefinition, object: K8sObject): StoredObject {
    const given = object.metadata
    const name = given.name || this.freeName(definition, given.namespace ?? null, given.generateName ?? '')
    const uid = this.options.random.uuid()
    return {
      ...object,
      metadata: {
        ...given,
        name,
        uid,
        resourceVersion: this.nextVersion(),
        creationTimestamp: timestamp(this.options.clock.now),
        ...(definition.hasGeneration ? { generation: 1 } : {}),
      },
    }
  }

  private freeName(definition: ResourceDefinition, namespace: string | null, prefix: string): string {
    const collection = this.collection(definition.key)
    for (;;) {
      const name = `${prefix}${this.options.random.name(5)}`
      if (!collection.get(namespace, name)) return name
    }
  }

  private checkPreconditions(
    definition: ResourceDefinition,
    old: StoredObject,
    object: K8sObject,
    options: UpdateOptions,
  ): void {
    const { uid, resourceVersion } = object.metadata
    const { name } = old.metadata
    if (uid && uid !== old.metadata.uid) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
      throw conflict(definition, name, why)
    }
    if (options.expectVersion && resourceVersion !== old.metadata.resourceVersion) {
      const why = 'the object has been modified; please apply your changes to the latest version and try again'
      throw conflict(definition, name, why)
    }
  }

  /** The object to store: what the caller sends, except for what only the store may say. */
  private successor(definition: ResourceDefinition, old: StoredObject, object: K8sObject): StoredObject {
    const { uid, resourceVersion, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } =
      old.metadata
    const bump = definition.hasGeneration && !isSameSpec(object, old) ? 1 : 0
    const {
      deletionTimestamp: _mark,
      deletionGracePeriodSeconds: _grace,
      generation: _count,
      ...given
    } = object.metadata
    const kept = { name: old.metadata.name, uid, resourceVersion, creationTimestamp }
    return {
      ...object,
      metadata: {
        ...given,
        ...kept,
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds }),
        ...(generation === undefined ? {} : { generation: generation + bump }),
      },
    }
  }

  private marked(old: StoredObject, graceSeconds: number): StoredObject {
    const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata
    const left = deletionGracePeriodSeconds ?? Infinity
    if (deletionTimestamp !== undefined && graceSeconds >= left) return old
    return {
      ...old,
      metadata: {
        ...old.metadata,
        deletionTimestamp: timestamp(this.options.clock.now + graceSeconds * 1000),
        deletionGracePeriodSeconds: graceSeconds,
      },
    }
  }
}

/** Placing a pod on a node is no new generation of it. */
function isSameSpec(next: K8sObject, old: StoredObject): boolean {
  if (sameJson(next.spec, old.spec)) return true
  if (old.kind !== 'Pod') return false
  const placed = { ...(old.spec as object), nodeName: (next.spec as { nodeName?: string }).nodeName }
  return sameJson(next.spec, placed)
}

/** Marked for deletion, with nothing left that holds it. A namespace is also held by `spec.finalizers`. */
function isFinished(object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  const { finalizers: ofSpec } = (object.spec ?? {}) as { finalizers?: readonly string[] }
  const held = finalizers?.length || ofSpec?.length
  return deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0 && !held
}
