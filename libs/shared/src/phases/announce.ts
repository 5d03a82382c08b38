import { createHash } from 'node:crypto'
import { AbortedError } from '../errors.js'
import { type ServiceName } from '../events/catalogue.js'
import { messageId, type MessageId } from '../ids.js'
import { emitEvents, lockCycle, wakeOthers } from '../messaging/decision.js'
import { type EventDraft } from '../service/definition.js'
import { type Store } from '../store/store.js'
import { type Tx } from '../store/tx.js'
import { type ClaimedPhase } from './claim-phases.js'

/** The message that a phase announces something with: the same in every attempt, so that it is published once. */
function announcedId({ cycleId, phase }: Pick<ClaimedPhase, 'cycleId' | 'phase'>, draft: EventDraft): MessageId {
  const place = [cycleId, draft.revision, phase, draft.type].join('/')
  return messageId.parse(`msg-${createHash('sha256').update(place).digest('hex').slice(0, 40)}`)
}

/** Throws AbortedError when somebody else holds the phase by now. */
async function assertHeld(tx: Tx, schema: ServiceName, { id, token }: ClaimedPhase): Promise<void> {
  const rows = await tx.query(
    `select 1 from ${schema}.phases where id = $1 and token = $2 and state = 'running' for share`,
    [id, token],
  )
  if (rows.length === 0) throw new AbortedError('lease-lost')
}

async function isAnnounced(tx: Tx, schema: ServiceName, { cycleId }: ClaimedPhase, id: MessageId): Promise<boolean> {
  const rows = await tx.query(`select 1 from ${schema}.outbox where cycle_id = $1 and message_id = $2`, [cycleId, id])
  return rows.length > 0
}

/**
 * Publishes an event while its phase goes on, in a transaction of its own, guarded by the fencing token. An attempt
 * after a crash that says the same again says nothing. On a closed cycle nothing is said any more, as with the end of
 * a phase. Throws AbortedError `lease-lost` when somebody else holds the phase.
 */
export async function announce(
  store: Store,
  service: ServiceName,
  phase: ClaimedPhase,
  draft: EventDraft,
): Promise<void> {
  const { tenantId, cycleId, correlationId, causationId, traceparent } = phase
  const id = announcedId(phase, draft)
  await store.withTenant(tenantId, async (tx) => {
    const place = { tx, schema: service, origin: { tenantId, cycleId, correlationId, causationId, traceparent } }
    const { closed, events } = await lockCycle(place, { events: 1, close: false })
    await assertHeld(tx, service, phase)
    if ((closed && !phase.final) || (await isAnnounced(tx, service, phase, id))) return
    await emitEvents(place, [{ ...draft, messageId: id }], events)
    await wakeOthers(place, ['outbox'])
  })
}
