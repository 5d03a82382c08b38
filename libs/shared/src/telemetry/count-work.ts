import { type ServiceName } from '../events/catalogue.js'
import { type Store } from '../store/store.js'
import { type Metrics } from './metrics.js'

/** Adds the gauges that are read from the tables of a service when it is scraped. */
export function countWork(metrics: Metrics, store: Store, schema: ServiceName, running: () => number): void {
  metrics.gauge('ordeal_phases', 'Phases of the service by state, in all replicas', async () => {
    const rows = await store.withPlumbing((tx) =>
      tx.query<{ state: string; count: string }>(
        `select state, count(*) from ${schema}.phases where state in ('queued', 'running') group by state`,
      ),
    )
    return { queued: 0, running: 0, ...Object.fromEntries(rows.map((row) => [row.state, Number(row.count)])) }
  })
  metrics.gauge('ordeal_outbox_pending', 'Events of the service that are not published yet', async () => {
    const [row] = await store.withPlumbing((tx) =>
      tx.query<{ count: string }>(`select count(*) from ${schema}.outbox where published_at is null`),
    )
    return { all: Number(row?.count ?? 0) }
  })
  metrics.gauge('ordeal_leases', 'Phases that this process holds', () => ({ held: running() }))
}
