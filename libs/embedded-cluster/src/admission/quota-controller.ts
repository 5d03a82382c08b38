import { type Cluster } from '../controllers/cluster.js'
import { keyOf, splitKey } from '../controllers/objects.js'
import { type Reconciler, WorkQueue } from '../controllers/queue.js'
import { type ResourceKey, RESOURCES } from '../schema/resources.js'
import { type Change } from '../store/object.js'
import { type ResourceQuota, shown, usageIn } from './resource-quota.js'

/** Keeps the status of ResourceQuotas: what they allow and how much of it is used. */
export class QuotaController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    this.queue = new WorkQueue(cluster.kernel, 'quota', this)
    for (const { key, namespaced } of RESOURCES) {
      if (namespaced && key !== 'events') cluster.store.subscribe(key, this, 'changed')
    }
  }

  reconcile(key: string): void {
    const { store } = this.cluster
    const quota = store.get<ResourceQuota>('resourcequotas', ...splitKey(key))
    if (!quota) return
    const usage = usageIn(store, quota)
    const hard = (quota.spec as typeof quota.spec | undefined)?.hard ?? {}
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, shown(name, usage[name] ?? 0)]))
    store.update('resourcequotas', { ...quota, status: { hard, used } })
  }

  changed({ type, object }: Change, resource: ResourceKey): void {
    const { store } = this.cluster
    if (store.count('resourcequotas') === 0) return
    if (type === 'MODIFIED' && resource !== 'pods' && resource !== 'resourcequotas') return
    for (const quota of store.list('resourcequotas', object.metadata.namespace)) this.queue.add(keyOf(quota))
  }
}
