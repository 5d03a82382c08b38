import { type Envelope, type Tx } from '@ordeal/shared'
import { type CycleChange } from '../project-events/fold-event.js'

/** Channel on which every change of a log is announced once it is committed; its payload is the cycle's id. */
export const EVENTS_CHANNEL = 'gateway_events'

/**
 * Folds one event into its cycle's view and appends it to the cycle's log, within the inbox transaction. The row lock
 * of the update gives a cycle's log its gapless order. A finished cycle takes nothing more; a cancelling one stays so
 * until it is finished.
 */
export async function projectEvent(tx: Tx, envelope: Envelope, change: CycleChange): Promise<void> {
  const { tenantId, cycleId, revision, type, occurredAt } = envelope
  await tx.query(
    `with cycle as (
       update gateway.cycles set
         event_count = event_count + 1,
         last_event = $3,
         revision = greatest(revision, $4),
         status = case when status = 'cancelling' and $5 <> 'finished' then status else $5 end,
         outcome = coalesce($6, outcome),
         problem = coalesce(problem, $7),
         results_id = coalesce($8, results_id),
         updated_at = now(),
         finished_at = case when $5 = 'finished' then now() end
       where tenant_id = $1 and cycle_id = $2 and status <> 'finished'
       returning event_count
     ), entry as (
       insert into gateway.events (tenant_id, cycle_id, sequence, type, revision, occurred_at, data)
       select $1, $2, event_count, $3, $4, $9, $10 from cycle
       returning cycle_id
     )
     select pg_notify('${EVENTS_CHANNEL}', cycle_id) from entry`,
    [
      tenantId,
      cycleId,
      type,
      revision,
      change.status,
      change.outcome ?? null,
      change.problem ?? null,
      change.resultsId ?? null,
      occurredAt,
      JSON.stringify(envelope.data),
    ],
  )
}
