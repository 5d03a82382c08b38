import { type ServiceName } from '../events/catalogue.js'
import { type Store } from '../store/store.js'
import { type Metrics } from './metrics.js'

/** What the gauges of a service are read from. */
export interface WorkSources {
  readonly store: Store
  readonly schema: ServiceName
  /** Phases that this process holds. */
  readonly running: () => number
  /** Messages of the service that lie among the dead. */
  readonly dead: () => Promise<number>
}

/** Adds the gauges that are read from the tables and streams of a service when it is scraped. */
export function countWork(metrics: Metrics, { store, schema, running, dead }: WorkSources): void {
  metrics.gauge('ordeal_phases', 'Phases of the service by state, in all replicas', async () => {
    const rows = await store.withPlumbing((tx) =>
      tx.query<{ state: string; count: string }>(
        `select case when state = 'queued' and run_after > now() then 'delayed' else state end as state, count(*)
         from ${schema}.phases where state in ('queued', 'running') group by 1`,
      ),
    )
    return {
      queued: 0,
      delayed: 0,
      running: 0,
      ...Object.fromEntries(rows.map((row) => [row.state, Number(row.count)])),
    }
  })
  metrics.gauge('ordeal_queue_oldest_seconds', 'How long the phase that waits longest has been due', async () => {
    const [row] = await store.withPlumbing((tx) =>
      tx.query<{ age: number | null }>(
        `select extract(epoch from now() - min(run_after))::float8 as age from ${schema}.phases
         where state = 'queued' and run_after <= now()`,
      ),
    )
    return { all: row?.age ?? 0 }
  })
  metrics.gauge('ordeal_outbox_pending', 'Events of the service that are not published yet', async () => {
    const [row] = await store.withPlumbing((tx) =>
      tx.query<{ count: string }>(`select count(*) from ${schema}.outbox where published_at is null`),
    )
    return { all: Number(row?.count ?? 0) }
  })
  metrics.gauge('ordeal_outbox_oldest_seconds', 'Age of the oldest event that is not published yet', async () => {
    const [row] = await store.withPlumbing((tx) =>
      tx.query<{ age: number | null }>(
        `select extract(epoch from now() - min(created_at))::float8 as age from ${schema}.outbox
         where published_at is null`,
      ),
    )
    return { all: row?.age ?? 0 }
  })
  metrics.gauge('ordeal_dead_letters', 'Messages of the service that nobody could use', async () => ({
    all: await dead(),
  }))
  metrics.gauge('ordeal_leases', 'Phases that this process holds', () => ({ held: running() }))
}
