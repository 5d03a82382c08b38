import { type JsMsg } from '@nats-io/jetstream'
import { type ServiceName } from '../events/catalogue.js'
import { type Broker } from './connection.js'
import { DEAD_STREAM, deadSubjectOf } from './topology.js'

/** Why a message lies among the dead. */
export interface DeathNote {
  readonly code: string
  readonly reason: string
}

/** NATS headers are lines: a reason with line breaks would end them. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 500)

/** Keeps a message that nobody could use, as it was, with the reason; resolves when the stream has it. */
export async function buryMessage(
  broker: Broker,
  service: ServiceName,
  message: JsMsg,
  note: DeathNote,
): Promise<void> {
  await broker.publish(deadSubjectOf(service, message.subject), message.string(), {
    id: `dead-${service}-${message.seq}`,
    headers: {
      'Ordeal-Code': oneLine(note.code),
      'Ordeal-Reason': oneLine(note.reason),
      'Ordeal-Stream-Sequence': String(message.seq),
      'Ordeal-Deliveries': String(message.info.deliveryCount),
    },
  })
}

/** Messages of a service that lie among the dead. */
export async function countDead({ manager }: Broker, service: ServiceName): Promise<number> {
  const { state } = await manager.streams.info(DEAD_STREAM, { subjects_filter: deadSubjectOf(service, '>') })
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
}
