import { type CycleId, type TenantId, type Tx } from '@ordeal/shared'
import { type ProgressData } from '../api/contract.js'
import { EVENTS_CHANNEL } from './project-event.sql.js'

/** A note of progress as it stands in the event log. */
export interface ProgressEntry {
  readonly tenantId: TenantId
  readonly cycleId: CycleId
  readonly revision: number
  readonly occurredAt: string
  readonly data: ProgressData
}

/** Appends a note to its cycle's log; after the cycle's end it is dropped. */
export async function appendProgress(tx: Tx, note: ProgressEntry): Promise<void> {
  await tx.query(
    `with cycle as (
       update gateway.cycles set event_count = event_count + 1
       where tenant_id = $1 and cycle_id = $2 and status <> 'finished'
       returning event_count
     ), entry as (
       insert into gateway.events (tenant_id, cycle_id, sequence, type, revision, occurred_at, data)
       select $1, $2, event_count, 'progress', $3, $4, $5 from cycle
       returning cycle_id
     )
     select pg_notify('${EVENTS_CHANNEL}', cycle_id) from entry`,
    [note.tenantId, note.cycleId, note.revision, note.occurredAt, JSON.stringify(note.data)],
  )
}
