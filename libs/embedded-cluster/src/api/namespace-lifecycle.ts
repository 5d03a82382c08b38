import type { Kernel } from '../kernel/kernel.js'
import type { Change, StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import { remove } from './delete-object.js'

/** Until a deletion is noticed, and between two looks at what is left: as long as the real controller takes. */
const NOTICE_MS = 50
const RETRY_MS = 1_000

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
    this.cluster.kernel.after(NOTICE_MS, this, 'empty', uid, name)
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
      kernel.after(RETRY_MS, this, 'empty', uid, name)
      return
    }
    store.update('namespaces', { ...namespace, spec: {} })
  }
}
