import { type JsMsg } from '@nats-io/jetstream'
import { coerceError } from '../errors.js'
import { catalogue, subjectOf, type RetryPolicy, type ServiceName } from '../events/catalogue.js'
import { decodeEnvelope, UndecodableError, type Envelope } from '../events/envelope.js'
import { type Logger } from '../logging/logger.js'
import { type Accepted } from '../service/definition.js'
import { type Crashpoints } from '../telemetry/crashpoints.js'
import { type Metrics } from '../telemetry/metrics.js'
import { type Acceptance } from './accept-message.js'
import { type Broker } from './connection.js'
import { buryMessage } from './dead-letters.js'
import { settlementOf, type Settlement } from './settlement.js'

export interface DeliveryDeps {
  readonly broker: Broker
  readonly service: ServiceName
  /** What the service's handler says to a message. */
  readonly decide: (message: Envelope) => Promise<Accepted>
  /** The inbox transaction. */
  readonly apply: (message: Envelope, decide: () => Promise<Accepted>) => Promise<Acceptance>
  /** Called before a message that could be read is buried, so that its cycle does not wait for ever. */
  readonly onDead: (message: Envelope, code: string, reason: string) => Promise<void>
  readonly crashpoints: Crashpoints
  readonly metrics: Metrics
  readonly log: Logger
}

/** A message that cannot be read has no policy of its own, and needs none: it is dead at once. */
const NO_POLICY: RetryPolicy = { ackWaitMs: 0, delaysMs: [] }
const BURIAL_RETRY_MS = 5000

function decode(message: JsMsg): Envelope {
  const envelope = decodeEnvelope(message.string())
  const subject = subjectOf(envelope.tenantId, envelope.cycleId, envelope.type)
  // Rights are given by subject, so what a message says of itself must agree with where it came.
  if (subject !== message.subject) throw new UndecodableError(`a message for ${subject} came on ${message.subject}`)
  return envelope
}

async function bury(
  deps: DeliveryDeps,
  message: JsMsg,
  envelope: Envelope | null,
  end: Settlement & { kind: 'dead' },
): Promise<void> {
  try {
    if (envelope) await deps.onDead(envelope, end.code, end.reason)
    await buryMessage(deps.broker, deps.service, message, end)
    message.term(end.code)
    deps.metrics.settled(envelope?.type ?? 'unreadable', 'dead')
  } catch (error) {
    deps.log.error('a dead message could not be buried and comes again', { reason: coerceError(error).message })
    message.nak(BURIAL_RETRY_MS)
  }
}

/** What log lines about a message say of its cycle. */
const aboutOf = (envelope: Envelope | null): Record<string, unknown> =>
  envelope ? { tenantId: envelope.tenantId, cycleId: envelope.cycleId, traceId: envelope.correlationId } : {}

/** The one place that settles a delivery that failed. */
async function settleFailure(
  deps: DeliveryDeps,
  message: JsMsg,
  envelope: Envelope | null,
  thrown: unknown,
): Promise<void> {
  const policy = envelope ? catalogue[envelope.type].retry : NO_POLICY
  const settlement = settlementOf(thrown, message.info.deliveryCount, policy)
  const fields = {
    ...aboutOf(envelope),
    subject: message.subject,
    deliveries: message.info.deliveryCount,
    ...settlement,
  }
  if (settlement.kind === 'dead') {
    deps.log.error('a message is dead', fields)
    await bury(deps, message, envelope, settlement)
  } else {
    deps.log.warn('a message is retried', fields)
    message.nak(settlement.delayMs)
    deps.metrics.settled(envelope?.type ?? 'unreadable', 'retry')
  }
}

/**
 * Takes one delivery to its end: read, decide, commit, then acknowledge. A crash before the commit leaves no trace; one
 * between commit and ack brings the message again, and the inbox knows it. Never throws.
 */
export async function deliver(deps: DeliveryDeps, message: JsMsg): Promise<void> {
  let envelope: Envelope | null = null
  try {
    const read = decode(message)
    envelope = read
    const acceptance = await deps.apply(read, () => deps.decide(read))
    await deps.crashpoints.hit('message:committed')
    message.ack()
    deps.metrics.settled(read.type, acceptance === 'applied' ? 'ack' : 'duplicate')
    deps.log.debug('a message was accepted', { ...aboutOf(read), event: read.type, messageId: read.messageId })
    await deps.crashpoints.hit('message:acked')
  } catch (error) {
    await settleFailure(deps, message, envelope, error)
  }
}
