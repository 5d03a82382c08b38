import { z } from 'zod'
import { TerminalError } from '../errors.js'
import { cycleId, messageId, tenantId } from '../ids.js'
import { catalogue, type EventData, type EventKey } from './catalogue.js'

const envelopeSchema = z.object({
  messageId,
  type: z.string(),
  version: z.number().int(),
  occurredAt: z.iso.datetime(),
  tenantId,
  cycleId,
  revision: z.number().int().nonnegative(),
  /** The cycle's trace, one for all its messages. */
  correlationId: z.string(),
  /** The message that led to this one; null for the first. */
  causationId: messageId.nullable(),
  traceparent: z.string(),
})

/** A message as it travels: who, when and why around the data of one event. */
export type Envelope<K extends EventKey = EventKey> = Omit<z.infer<typeof envelopeSchema>, 'type'> & {
  type: K
  data: EventData<K>
}

/** Thrown for a message that no retry can make readable. */
export class UndecodableError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('undecodable', message, { cause })
  }
}

const isEventKey = (type: string): type is EventKey => Object.hasOwn(catalogue, type)

/** Reads a message's body. Throws UndecodableError when it is not a known event of a known version. */
export function decodeEnvelope(body: string): Envelope {
  try {
    const raw: unknown = JSON.parse(body)
    const envelope = envelopeSchema.parse(raw)
    if (!isEventKey(envelope.type)) throw new Error(`unknown event ${envelope.type}`)
    const entry = catalogue[envelope.type]
    if (envelope.version !== entry.version) {
      throw new Error(`version ${envelope.version} of ${envelope.type}; this build reads ${entry.version}`)
    }
    return { ...envelope, data: entry.schema.parse((raw as { data: unknown }).data) } as Envelope
  } catch (error) {
    throw new UndecodableError(`cannot read a message: ${(error as Error).message}`, error)
  }
}
