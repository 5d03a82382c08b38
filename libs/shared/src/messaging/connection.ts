import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { connect, headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import { TerminalError } from '../errors.js'
import { within } from '../health/within.js'
import { type Logger } from '../logging/logger.js'

/** Thrown at boot when the server cannot do what Ordeal needs. */
export class BrokerError extends TerminalError {
  constructor(message: string, cause?: unknown) {
    super('broker-unfit', message, { cause })
  }
}

/** A connection to NATS, checked. */
export interface Broker {
  readonly connection: NatsConnection
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  /** Publishes to a stream and waits for its acknowledgement. `id` keeps a second attempt from being stored twice. */
  readonly publish: (
    subject: string,
    body: string,
    options: { id: string; headers?: Record<string, string> },
  ) => Promise<void>
  /** Throws when the server does not answer within `timeoutMs`. */
  ping(timeoutMs: number): Promise<void>
  /** Sends what is buffered and closes. Safe to call twice. */
  close(): Promise<void>
}

const OLDEST = [2, 10] as const
const PUBLISH_TIMEOUT_MS = 5000
const FIRST_CONNECT_TIMEOUT_MS = 5000
const CLOSE_FLUSH_MS = 1000

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
}

async function checkServer(connection: NatsConnection): Promise<JetStreamManager> {
  const { version = '0', jetstream: enabled = false } = connection.info ?? {}
  const needs = `Ordeal needs nats-server ≥ ${OLDEST.join('.')} with JetStream`
  if (isOlder(version)) throw new BrokerError(`nats-server is version ${version}. ${needs}`)
  if (!enabled) throw new BrokerError(`nats-server runs without JetStream. ${needs}: start it with --jetstream`)
  try {
    return await jetstreamManager(connection)
  } catch (cause) {
    throw new BrokerError(`JetStream does not answer this account: ${(cause as Error).message}. ${needs}`, cause)
  }
}

async function open(url: string, name: string): Promise<NatsConnection> {
  try {
    return await connect({
      servers: url,
      name,
      timeout: FIRST_CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
    })
  } catch (cause) {
    const { host } = new URL(url)
    throw new BrokerError(`no NATS server answers at ${host} (${(cause as Error).message}). Check NATS_URL`, cause)
  }
}

/** Tells the log when the server goes and comes back; the client reconnects by itself. */
async function watch(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') log.warn('the connection to NATS was lost', { server: status.server })
    if (status.type === 'reconnect') log.info('the connection to NATS is back', { server: status.server })
  }
}

function toHeaders(fields: Record<string, string>): MsgHdrs {
  const result = headers()
  for (const [name, value] of Object.entries(fields)) result.set(name, value)
  return result
}

async function closeConnection(connection: NatsConnection): Promise<void> {
  // Without a server there is nothing to flush to; closing must not wait for it to come back.
  await within(CLOSE_FLUSH_MS, 'NATS', connection.flush()).catch(() => undefined)
  await connection.close()
}

/** Connects and checks the server. Throws BrokerError with the remedy. */
export async function connectBroker(url: string, name: string, log: Logger): Promise<Broker> {
  const connection = await open(url, name)
  let manager: JetStreamManager
  try {
    manager = await checkServer(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
  void watch(connection, log)
  const client = jetstream(connection, { timeout: PUBLISH_TIMEOUT_MS })
  let closing: Promise<void> | undefined
  return {
    connection,
    jetstream: client,
    manager,
    publish: async (subject, body, { id, headers: fields = {} }) => {
      await client.publish(subject, body, { msgID: id, headers: toHeaders(fields) })
    },
    ping: async (timeoutMs) => {
      await within(timeoutMs, 'JetStream', manager.getAccountInfo())
    },
    close: () => (closing ??= closeConnection(connection)),
  }
}
