import { TerminalError } from '../errors.js'
import { catalogue, subjectOf, type ServiceName } from '../events/catalogue.js'
import { type Envelope } from '../events/envelope.js'
import { newMessageId, type CycleId, type MessageId, type TenantId } from '../ids.js'
import { type EventDraft, type PhaseStart } from '../service/definition.js'
import { type Tx } from '../store/tx.js'
import { nextHop } from '../telemetry/trace.js'

/** Where a decision comes from; its messages carry it on. */
export interface Origin {
  readonly tenantId: TenantId
  readonly cycleId: CycleId
  /** The cycle's trace id. */
  readonly correlationId: string
  /** The message that led to the decision; null when a user did. */
  readonly causationId: MessageId | null
  readonly traceparent: string
}

/** What one service decides within one transaction. `schema` is the service's. */
export interface DecisionPlace {
  readonly tx: Tx
  readonly schema: ServiceName
  readonly origin: Origin
}

/** A cycle as this service knows it, locked until the transaction ends. */
export interface CycleState {
  readonly closed: boolean
  /** Sequence of the last event that was reserved. */
  readonly events: number
}

/**
 * Locks the cycle's row, reserves `events` sequence numbers, and closes the cycle when asked to. Always the first write
 * of a decision: it puts decisions on one cycle in a row, and one order of locks cannot deadlock.
 */
export async function lockCycle(
  { tx, schema, origin }: DecisionPlace,
  change: { events: number; close: boolean },
): Promise<CycleState> {
  const [row] = await tx.query<{ closed: boolean; events: string }>(
    `insert into ${schema}.cycle_states as s (tenant_id, cycle_id, events, closed) values ($1, $2, $3, $4)
     on conflict (tenant_id, cycle_id)
     do update set events = s.events + excluded.events, closed = s.closed or excluded.closed
     returning closed, events`,
    [origin.tenantId, origin.cycleId, change.events, change.close],
  )
  if (!row) throw new Error('an upsert gave no row')
  return { closed: row.closed, events: Number(row.events) }
}

/**
 * Queues phases. On a closed cycle only final ones; a phase that was queued before stays as it is, so a message that
 * comes twice in other words starts nothing twice. A cancelled phase is revived by a final start.
 */
export async function startPhases(
  { tx, schema, origin }: DecisionPlace,
  starts: readonly PhaseStart[],
  closed: boolean,
): Promise<void> {
  const rows = starts
    .filter((start) => !closed || start.final)
    .map(({ phase, revision, input, delayMs = 0, final = false }) => ({ phase, revision, input, delayMs, final }))
  if (rows.length === 0) return
  await tx.query(
    `insert into ${schema}.phases as p
       (tenant_id, cycle_id, revision, phase, final, input, correlation_id, causation_id, traceparent, run_after)
     select $1, $2, s.revision, s.phase, s.final, s.input, $3, $4, $5, now() + s."delayMs" * interval '1 ms'
     from jsonb_to_recordset($6::jsonb)
       as s (revision integer, phase text, final boolean, input jsonb, "delayMs" double precision)
     on conflict (tenant_id, cycle_id, revision, phase) do update
       set state = 'queued', final = true, input = excluded.input, run_after = excluded.run_after,
           cancel_requested = false, ended_at = null, causation_id = excluded.causation_id
       where p.state = 'cancelled' and excluded.final`,
    [
      origin.tenantId,
      origin.cycleId,
      origin.correlationId,
      origin.causationId,
      origin.traceparent,
      JSON.stringify(rows),
    ],
  )
}

/** Lets a suspended phase be claimed at once. One that runs looks by itself before it is suspended again. */
export async function resumePhase(
  { tx, schema, origin }: DecisionPlace,
  { phase, revision }: Pick<PhaseStart, 'phase' | 'revision'>,
): Promise<void> {
  await tx.query(
    `update ${schema}.phases set run_after = now()
     where tenant_id = $1 and cycle_id = $2 and revision = $3 and phase = $4 and state = 'queued' and run_after > now()`,
    [origin.tenantId, origin.cycleId, revision, phase],
  )
}

/** Ends queued phases and asks whoever runs one to stop; final ones go on. */
export async function cancelPhases({ tx, schema, origin }: DecisionPlace): Promise<void> {
  await tx.query(
    `update ${schema}.phases
     set state = case state when 'queued' then 'cancelled' else state end,
         ended_at = case state when 'queued' then now() end,
         cancel_requested = true
     where tenant_id = $1 and cycle_id = $2 and state in ('queued', 'running') and not final`,
    [origin.tenantId, origin.cycleId],
  )
}

/** A draft whose message has an id that was known before, or gets a new one. */
export type IdentifiedDraft = EventDraft & { readonly messageId?: MessageId }

/** The message of a draft. Throws TerminalError `event-invalid` when its data are not what the catalogue says. */
function toEnvelope(draft: IdentifiedDraft, origin: Origin): Envelope {
  const { version, schema } = catalogue[draft.type]
  const data = schema.safeParse(draft.data)
  if (!data.success) {
    throw new TerminalError('event-invalid', `${draft.type} cannot be sent: ${data.error.message}`)
  }
  return {
    messageId: draft.messageId ?? newMessageId(),
    version,
    occurredAt: new Date().toISOString(),
    tenantId: origin.tenantId,
    cycleId: origin.cycleId,
    revision: draft.revision,
    correlationId: origin.correlationId,
    causationId: origin.causationId,
    traceparent: nextHop(origin.traceparent),
    type: draft.type,
    data: data.data,
  }
}

/** Puts events into the outbox, the last of them under sequence `last` (see lockCycle). */
export async function emitEvents(
  { tx, schema, origin }: DecisionPlace,
  drafts: readonly IdentifiedDraft[],
  last: number,
): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft, index) => {
    const envelope = toEnvelope(draft, origin)
    return {
      sequence: last - drafts.length + index + 1,
      messageId: envelope.messageId,
      subject: subjectOf(origin.tenantId, origin.cycleId, draft.type),
      envelope,
    }
  })
  await tx.query(
    `insert into ${schema}.outbox (tenant_id, cycle_id, sequence, message_id, subject, envelope)
     select $1, $2, o.sequence, o."messageId", o.subject, o.envelope
     from json_to_recordset($3::json)
       as o (sequence bigint, "messageId" text, subject text, envelope json)`,
    [origin.tenantId, origin.cycleId, JSON.stringify(rows)],
  )
}

/** What a decision may have given somebody to do. */
export type Wake = 'phases' | 'outbox' | 'cancel'

/** The channel on which a service's replicas wake each other when a decision is committed. */
export const wakeChannelOf = (schema: ServiceName): string => `ordeal_${schema}`

/** Wakes loops of every replica once the transaction is committed. A hint: everything is also found by sweeping. */
export async function wakeOthers({ tx, schema }: DecisionPlace, wakes: readonly Wake[]): Promise<void> {
  if (wakes.length === 0) return
  await tx.query('select pg_notify($1, wake) from unnest($2::text[]) as wake', [wakeChannelOf(schema), wakes])
}
