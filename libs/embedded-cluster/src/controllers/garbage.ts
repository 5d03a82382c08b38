import { definitionOfKind, RESOURCES, type ResourceKey } from '../schema/resources.js'
import { type Change, type StoredObject } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { type Pod } from './objects.js'
import { deletePod } from './delete-pod.js'
import { type Reconciler, WorkQueue } from './queue.js'

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'

/**
 * Deletes what lost all its owners, and carries out the deletion policies that the API server marks with finalizers:
 * foreground (dependents first) and orphan (dependents are let go).
 */
export class GarbageCollector implements Reconciler {
  /** Objects by the uid of an owner; `resource|namespace|name`. */
  private readonly dependents = new Map<string, Set<string>>()
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    this.queue = new WorkQueue(cluster.kernel, 'garbage', this)
    for (const { key } of RESOURCES) if (key !== 'events') cluster.store.subscribe(key, this, 'changed')
  }

  changed({ type, object }: Change, resource: ResourceKey): void {
    const deleted = type === 'DELETED'
    const key = placeOf(resource, object)
    const { ownerReferences = [], deletionTimestamp } = object.metadata
    for (const { uid } of ownerReferences) this.link(uid, key, deleted)
    if (deleted) this.gone(object)
    else if (ownerReferences.length > 0 || deletionTimestamp !== undefined) this.queue.add(key)
  }

  /** Its dependents may have to go, and its owners may have waited for it. */
  private gone({ metadata }: StoredObject): void {
    for (const dependent of this.dependents.get(metadata.uid) ?? []) this.queue.add(dependent)
    for (const { kind, apiVersion, name } of metadata.ownerReferences ?? []) {
      const owner = definitionOfKind(apiVersion, kind)
      if (owner) this.queue.add([owner.key, metadata.namespace ?? '', name].join('|'))
    }
  }

  private link(owner: string, dependent: string, gone: boolean): void {
    const known = this.dependents.get(owner)
    if (gone) {
      known?.delete(dependent)
      if (known?.size === 0) this.dependents.delete(owner)
    } else if (known) known.add(dependent)
    else this.dependents.set(owner, new Set([dependent]))
  }

  reconcile(key: string): void {
    const object = this.find(key)
    if (!object) return
    const { finalizers = [], deletionTimestamp, ownerReferences = [] } = object.metadata
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes(ORPHAN)) this.orphan(key, object)
      else if (finalizers.includes(FOREGROUND)) this.foreground(key, object)
      return
    }
    if (ownerReferences.length === 0) return
    if (!ownerReferences.some((owner) => this.exists(object, owner))) this.remove(key, object)
  }

  private exists(
    object: StoredObject,
    owner: { apiVersion: string; kind: string; name: string; uid: string },
  ): boolean {
    const definition = definitionOfKind(owner.apiVersion, owner.kind)
    if (!definition) return true
    const namespace = definition.namespaced ? (object.metadata.namespace ?? '') : null
    return this.cluster.store.get(definition.key, namespace, owner.name)?.metadata.uid === owner.uid
  }

  private foreground(key: string, object: StoredObject): void {
    const dependents = [...(this.dependents.get(object.metadata.uid) ?? [])].flatMap((place) => {
      const found = this.find(place)
      return found ? [{ place, found }] : []
    })
    for (const { place, found } of dependents) {
      if (found.metadata.deletionTimestamp === undefined) this.removeInForeground(place, found)
    }
    if (dependents.length === 0) this.dropFinalizer(key, object, FOREGROUND)
  }

  /** What has dependents itself waits for them, too. */
  private removeInForeground(key: string, object: StoredObject): void {
    const { uid, finalizers = [] } = object.metadata
    if (!this.dependents.get(uid)?.size) return this.remove(key, object)
    const metadata = { ...object.metadata, finalizers: [...finalizers, FOREGROUND] }
    this.remove(key, this.cluster.store.update(resourceOf(key), { ...object, metadata }))
  }

  private orphan(key: string, object: StoredObject): void {
    for (const dependent of [...(this.dependents.get(object.metadata.uid) ?? [])]) {
      const found = this.find(dependent)
      if (!found) continue
      const ownerReferences = found.metadata.ownerReferences?.filter(({ uid }) => uid !== object.metadata.uid)
      this.dependents.get(object.metadata.uid)?.delete(dependent)
      this.cluster.store.update(resourceOf(dependent), { ...found, metadata: { ...found.metadata, ownerReferences } })
    }
    this.dropFinalizer(key, object, ORPHAN)
  }

  private dropFinalizer(key: string, object: StoredObject, finalizer: string): void {
    const finalizers = object.metadata.finalizers?.filter((name) => name !== finalizer)
    this.cluster.store.update(resourceOf(key), { ...object, metadata: { ...object.metadata, finalizers } })
  }

  private remove(key: string, object: StoredObject): void {
    const resource = resourceOf(key)
    if (resource === 'pods') deletePod(this.cluster, object as Pod)
    else this.cluster.store.remove(resource, object.metadata.namespace ?? null, object.metadata.name)
  }

  private find(key: string): StoredObject | undefined {
    const [resource, namespace, name] = key.split('|')
    return this.cluster.store.get(resource as ResourceKey, namespace === '' ? null : (namespace ?? null), name ?? '')
  }
}

const resourceOf = (key: string): ResourceKey => key.slice(0, key.indexOf('|')) as ResourceKey

const placeOf = (resource: ResourceKey, { metadata }: StoredObject): string =>
  [resource, metadata.namespace ?? '', metadata.name].join('|')
