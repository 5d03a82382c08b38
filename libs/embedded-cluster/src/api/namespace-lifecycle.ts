import type { Kernel } from '../kernel/kernel.js'
import type { Change, StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import { remove } from './delete-object.js'

/** How long the real controller leaves a namespace alone that is to go (`namespaceDeletionGracePeriod` of Kubernetes). */
const GRACE_MS = 5_000

/** Empties namespaces that are being deleted, and lets them go when nothing is left. */
export class NamespaceLifecycle {
  private readonly emptying = new Set<string>()

  constructor(private readonly cluster: { kernel: Kernel; store: ObjectStore }) {
    cluster.store.subscribe('namespaces', this, 'namespaceChanged')
  }

  namespaceChanged({ type, object }: Change): void {
    if (type === 'DELETED') this.emptying.delete(object.metadata.uid)
    else if (object.metadata.deletionTimestamp !== undefined) this.start(object)
  }

  private start(namespace: StoredObject): void {
    const { uid, name } = namespace.metadata
    if (this.emptying.has(uid)) return
    this.emptying.add(uid)
    this.cluster.kernel.after(GRACE_MS, this, 'empty', uid, name)
  }

  empty(uid: string, name: string): void {
    const { kernel, store } = this.cluster
    const namespace = store.get('namespaces', null, name)
    if (namespace?.metadata.uid !== uid) return
    // Pods go first: what made them stays until they are gone.
    const pods = store.list('pods', name).length > 0
    for (const definition of store.definitions.filter((one) => one.namespaced && (!pods || one.key === 'pods'))) {
      for (const object of store.list(definition.key, name)) {
        if (object.metadata.deletionTimestamp === undefined) remove(store, { definition }, object, {})
      }
    }
    if (store.definitions.some((one) => one.namespaced && store.list(one.key, name).length > 0)) {
      kernel.after(retryMs(store, name), this, 'empty', uid, name)
      return
    }
    store.update('namespaces', { ...namespace, spec: {} })
  }
}

/** When the real controller looks again: after half of what the pods that are left may take, and a second. */
function retryMs(store: ObjectStore, namespace: string): number {
  const graces = store.list('pods', namespace).map(({ metadata }) => metadata.deletionGracePeriodSeconds ?? 0)
  return (Math.floor(Math.max(0, ...graces) / 2) + 1) * 1_000
}
