import {
  AckPolicy,
  DeliverPolicy,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { catalogue, STREAM, subscriptions, type EventKey, type ServiceName } from '../events/catalogue.js'
import { type Broker } from './connection.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Where messages go that nobody could use, one subject per service and event. */
export const DEAD_STREAM = `${STREAM}-DEAD`
export const deadSubjectOf = (service: string, subject: string): string => `ordeal-dead.${service}.${subject}`

type Settings = Partial<StreamConfig> & { name: string }

const streams: readonly Settings[] = [
  {
    name: STREAM,
    subjects: ['ordeal.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    // A second guard only: the inbox keeps duplicates out however old they are.
    duplicate_window: nanos(5 * MINUTE),
    max_age: nanos(14 * DAY),
    max_msg_size: 1024 * 1024,
  },
  {
    name: DEAD_STREAM,
    subjects: ['ordeal-dead.>'],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    duplicate_window: nanos(5 * MINUTE),
    max_age: nanos(90 * DAY),
  },
]

/** Creates the streams, or brings their settings up to date; any number of processes may do so at once. */
export async function ensureStreams({ manager }: Broker): Promise<void> {
  for (const settings of streams) {
    try {
      await manager.streams.add(settings)
    } catch (error) {
      // It exists with other settings: an older build made it.
      await manager.streams.update(settings.name, settings).catch(() => {
        throw error
      })
    }
  }
}

const longestAckWait = (keys: readonly EventKey[]): number => Math.max(...keys.map((k) => catalogue[k].retry.ackWaitMs))

function consumerOf(service: ServiceName): Partial<ConsumerConfig> {
  const keys: readonly EventKey[] = subscriptions[service]
  return {
    durable_name: service,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(longestAckWait(keys)),
    filter_subjects: keys.map((key) => `ordeal.*.*.${key}`),
    // Unlimited on purpose. We count deliveries ourselves: with a limit, a crash during the last one would lose it.
    max_deliver: -1,
    // What all replicas together may hold; it also bounds what one that was killed keeps from the others.
    max_ack_pending: 256,
  }
}

/** Creates the service's durable consumer, shared by its replicas, or brings it up to date. */
export async function ensureConsumer({ manager }: Broker, service: ServiceName): Promise<void> {
  await manager.consumers.add(STREAM, consumerOf(service))
}
