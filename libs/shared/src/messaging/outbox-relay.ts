import { type ServiceName } from '../events/catalogue.js'
import { startWorkLoop, type WorkLoop } from '../lifecycle/work-loop.js'
import { type Logger } from '../logging/logger.js'
import { type Store } from '../store/store.js'
import { type Tx } from '../store/tx.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import { type Metrics } from '../telemetry/metrics.js'
import { type Broker } from './connection.js'

export interface RelayDeps {
  readonly store: Store
  readonly schema: ServiceName
  readonly publish: Broker['publish']
  readonly crashpoints: Crashpoints
  readonly metrics: Metrics
  readonly log: Logger
  /** How often the outbox is looked into without being told. */
  readonly sweepMs: number
}

interface CycleRow {
  readonly tenant_id: string
  readonly cycle_id: string
}

interface OutboxRow extends CycleRow {
  readonly sequence: string
  readonly message_id: string
  readonly subject: string
  readonly envelope: string
}

const CYCLES_PER_PASS = 32
const MESSAGES_PER_PASS = 256

/**
 * Claims whole cycles, oldest first, so that one relay at a time publishes a cycle's events. The lock ends with the
 * transaction; a clash of hashes only makes a cycle wait for the next pass.
 */
function claimCycles(tx: Tx, schema: ServiceName): Promise<CycleRow[]> {
  return tx.query<CycleRow>(
    `with waiting as materialized (
       select tenant_id, cycle_id, min(created_at) as since from ${schema}.outbox
       where published_at is null group by tenant_id, cycle_id order by since limit $1
     )
     select tenant_id, cycle_id from waiting
     where pg_try_advisory_xact_lock(hashtextextended($2 || tenant_id || '/' || cycle_id, 0))`,
    [CYCLES_PER_PASS, `ordeal.relay.${schema}.`],
  )
}

/** Read after the lock, in a statement of its own, so that it sees what the last holder marked. */
function pendingOf(tx: Tx, schema: ServiceName, cycles: readonly CycleRow[]): Promise<OutboxRow[]> {
  return tx.query<OutboxRow>(
    `select tenant_id, cycle_id, sequence, message_id, subject, envelope::text as envelope from ${schema}.outbox
     where published_at is null
       and (tenant_id, cycle_id) in (select * from unnest($1::text[], $2::text[]))
     order by sequence limit $3`,
    [cycles.map((c) => c.tenant_id), cycles.map((c) => c.cycle_id), MESSAGES_PER_PASS],
  )
}

async function mark(tx: Tx, schema: ServiceName, rows: readonly OutboxRow[]): Promise<void> {
  await tx.query(
    `update ${schema}.outbox o set published_at = now()
     from unnest($1::text[], $2::text[], $3::bigint[]) as p (tenant_id, cycle_id, sequence)
     where (o.tenant_id, o.cycle_id, o.sequence) = (p.tenant_id, p.cycle_id, p.sequence)`,
    [rows.map((r) => r.tenant_id), rows.map((r) => r.cycle_id), rows.map((r) => r.sequence)],
  )
}

interface Published {
  readonly rows: OutboxRow[]
  readonly failure: unknown
}

/** One cycle's events, one after another: the next only when the stream has the one before. */
async function publishInOrder(publish: Broker['publish'], rows: readonly OutboxRow[]): Promise<Published> {
  const published: OutboxRow[] = []
  try {
    for (const row of rows) {
      await publish(row.subject, row.envelope, { id: row.message_id })
      published.push(row)
    }
    return { rows: published, failure: null }
  } catch (failure) {
    return { rows: published, failure }
  }
}

/** What one pass did. */
export interface RelayPass {
  readonly published: number
  /** It took as much as one pass may, so there is probably more. */
  readonly full: boolean
}

/** One pass. Throws after marking what went out before a failure. */
export async function relayOnce(deps: RelayDeps): Promise<RelayPass> {
  const { store, schema, publish, crashpoints, metrics } = deps
  const { outcomes, full } = await store.withPlumbing(async (tx) => {
    const cycles = await claimCycles(tx, schema)
    if (cycles.length === 0) return { outcomes: [], full: false }
    const rows = await pendingOf(tx, schema, cycles)
    await crashpoints.hit('relay:claimed')
    const perCycle = Object.values(Object.groupBy(rows, (row) => `${row.tenant_id}/${row.cycle_id}`))
    const outcomes = await Promise.all(perCycle.map((own = []) => publishInOrder(publish, own)))
    await crashpoints.hit('relay:published')
    const done = outcomes.flatMap((outcome) => outcome.rows)
    if (done.length > 0) await mark(tx, schema, done)
    metrics.published(done.length)
    return { outcomes, full: cycles.length === CYCLES_PER_PASS || rows.length === MESSAGES_PER_PASS }
  })
  await crashpoints.hit('relay:marked')
  const failed = outcomes.find((outcome) => outcome.failure !== null)
  if (failed) throw failed.failure
  return { published: outcomes.reduce((sum, outcome) => sum + outcome.rows.length, 0), full }
}

/** Publishes until nothing is left that is not in another relay's hands. */
export async function relayAll(deps: RelayDeps): Promise<void> {
  while ((await relayOnce(deps)).published > 0);
}

/**
 * Publishes the outbox in the background. An event that is decided while its cycle is in this relay's hands wakes it
 * once more, since decisions wake every relay of the service.
 */
export function startRelay(deps: RelayDeps): WorkLoop {
  const pass = async (): Promise<boolean> => (await relayOnce(deps)).full
  return startWorkLoop({ name: 'relay', log: deps.log, idleMs: deps.sweepMs, pass })
}
