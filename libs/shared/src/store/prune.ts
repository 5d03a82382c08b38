import { type ServiceName } from '../events/catalogue.js'
import { type Store } from './store.js'
import { type Tx } from './tx.js'

/** Rows that go in one statement, so that none holds locks for long. */
const BATCH = 5000

/**
 * What is old enough that nothing asks for it: a message of the inbox cannot come again once the stream has dropped it
 * (14 days), and what was published is of interest to people only.
 */
const RULES = [
  { table: 'inbox', old: `received_at < now() - interval '15 days'` },
  { table: 'outbox', old: `published_at < now() - interval '7 days'` },
]

async function pruneBatch(tx: Tx, table: string, old: string): Promise<number> {
  const [row] = await tx.query<{ count: string }>(
    `with gone as (
       delete from ${table} where ctid in (select ctid from ${table} where ${old} limit ${BATCH}) returning 1
     )
     select count(*) from gone`,
  )
  return Number(row?.count ?? 0)
}

/** Removes old plumbing rows of a service, its replicas in turn; answers how many. */
export async function pruneOldRows(store: Store, schema: ServiceName): Promise<number> {
  let pruned = 0
  for (const { table, old } of RULES) {
    const work = (tx: Tx): Promise<number> => pruneBatch(tx, `${schema}.${table}`, old)
    for (let count = BATCH; count === BATCH; pruned += count) {
      count = await store.withPlumbing(work, `ordeal.prune.${schema}`)
    }
  }
  return pruned
}
