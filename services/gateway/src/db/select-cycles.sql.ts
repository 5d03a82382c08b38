import { type Tx } from '@ordeal/shared'
import { type CycleEvent, type CyclePage, type CycleView } from '../api/contract.js'
import { type LogPage } from '../follow-cycle/cycle-events.js'

interface CycleRow {
  cycle_id: string
  project: string
  status: CycleView['status']
  outcome: CycleView['outcome']
  problem: string | null
  last_event: string
  revision: number
  created_at: Date
  updated_at: Date
  finished_at: Date | null
}

const COLUMNS = 'cycle_id, project, status, outcome, problem, last_event, revision, created_at, updated_at, finished_at'

const viewOf = (row: CycleRow): CycleView => ({
  id: row.cycle_id,
  project: row.project,
  status: row.status,
  outcome: row.outcome,
  problem: row.problem,
  lastEvent: row.last_event,
  revision: row.revision,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
})

/** A cycle of the transaction's tenant, or null. */
export async function selectCycle(tx: Tx, id: string): Promise<CycleView | null> {
  const [row] = await tx.query<CycleRow>(`select ${COLUMNS} from gateway.cycles where cycle_id = $1`, [id])
  return row ? viewOf(row) : null
}

/** Cycles newest first, at most `limit`, from after the cycle `after` (a cursor of an earlier page). */
export async function selectCycles(
  tx: Tx,
  query: { limit: number; after: string | null; project: string | null },
): Promise<CyclePage> {
  const rows = await tx.query<CycleRow>(
    `select ${COLUMNS} from gateway.cycles
     where ($2::text is null or (created_at, cycle_id) < (select c.created_at, c.cycle_id from gateway.cycles c where c.cycle_id = $2))
       and ($3::text is null or project = $3)
     order by created_at desc, cycle_id desc
     limit $1`,
    [query.limit + 1, query.after, query.project],
  )
  const page = rows.slice(0, query.limit).map(viewOf)
  return { cycles: page, next: rows.length > query.limit ? (page.at(-1)?.id ?? null) : null }
}

interface EventRow {
  sequence: string
  type: CycleEvent['type']
  occurred_at: Date
  revision: number
  data: Record<string, unknown>
}

const eventOf = (row: EventRow): CycleEvent => ({
  sequence: Number(row.sequence),
  type: row.type,
  occurredAt: row.occurred_at.toISOString(),
  revision: row.revision,
  data: row.data,
})

/**
 * Events of a cycle's log after the sequence `after`, in order, at most `limit`; and, of the same moment, whether the
 * cycle is finished, so that nothing follows on what is seen then.
 */
export async function selectLog(tx: Tx, cycleId: string, after: number, limit: number): Promise<LogPage> {
  const rows = await tx.query<{ finished: boolean } & (EventRow | { sequence: null })>(
    `select c.status = 'finished' as finished, e.* from gateway.cycles c
     left join lateral (
       select sequence, type, occurred_at, revision, data from gateway.events
       where cycle_id = $1 and sequence > $2 order by sequence limit $3
     ) e on true
     where c.cycle_id = $1 order by e.sequence`,
    [cycleId, after, limit],
  )
  const events = rows.flatMap((row) => (row.sequence === null ? [] : [eventOf(row)]))
  return { finished: rows[0]?.finished ?? false, events }
}

/** The artefact that holds a cycle's results, or null while there are none. */
export async function selectResultsId(tx: Tx, cycleId: string): Promise<string | null> {
  const [row] = await tx.query<{ results_id: string | null }>(
    'select results_id from gateway.cycles where cycle_id = $1',
    [cycleId],
  )
  return row?.results_id ?? null
}
