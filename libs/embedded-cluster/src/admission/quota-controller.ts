import { type Cluster } from '../controllers/cluster.js'
import { keyOf, splitKey } from '../controllers/objects.js'
import { WorkQueue } from '../controllers/queue.js'
import { RESOURCES } from '../schema/resources.js'
import { type ResourceQuota, shown, usageIn } from './resource-quota.js'

/** Keeps the status of ResourceQuotas: what they allow and how much of it is used. */
export function startQuotaController({ store, kernel }: Cluster): void {
  const queue = new WorkQueue(kernel, 'quota', (key) => {
    const quota = store.get<ResourceQuota>('resourcequotas', ...splitKey(key))
    if (!quota) return
    const usage = usageIn(store, quota)
    const hard = quota.spec.hard ?? {}
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, shown(name, usage[name] ?? 0)]))
    store.update('resourcequotas', { ...quota, status: { hard, used } })
  })
  for (const { key, namespaced } of RESOURCES) {
    if (!namespaced || key === 'events') continue
    store.subscribe(key, ({ type, object }) => {
      if (store.count('resourcequotas') === 0) return
      if (type === 'MODIFIED' && key !== 'pods' && key !== 'resourcequotas') return
      for (const quota of store.list('resourcequotas', object.metadata.namespace)) queue.add(keyOf(quota))
    })
  }
}
