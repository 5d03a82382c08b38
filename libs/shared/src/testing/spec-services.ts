import { randomBytes } from 'node:crypto'
import { type ServiceConfig } from '../config/service-config.js'
import { subscriptions, type ServiceName } from '../events/catalogue.js'
import { type Accepted, type AcceptTable, type PhaseHandler, type ServiceDefinition } from '../service/definition.js'
import { createSpecDatabase, emptySpecNats, type SpecDatabase } from './spec-servers.js'

/** Servers of one spec file, and the configuration that points a service at them. */
export interface SpecServers {
  readonly database: SpecDatabase
  readonly natsUrl: string
  readonly config: ServiceConfig
  readonly stop: () => Promise<void>
}

/** A database and a NATS of this spec file's own. Leases are short, so that a spec sees them run out. */
export async function startSpecServers(): Promise<SpecServers> {
  const [database, nats] = await Promise.all([createSpecDatabase(), emptySpecNats()])
  const config: ServiceConfig = {
    databaseUrl: database.databaseUrl,
    plumbingDatabaseUrl: database.plumbingDatabaseUrl,
    natsUrl: nats.url,
    vaultKey: randomBytes(32),
    embeddedClusterUrl: null,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    databasePool: 5,
    messageConcurrency: 8,
    phaseConcurrency: 4,
    tenantConcurrency: 50,
    leaseMs: 1000,
    drainMs: 5000,
  }
  return { database, natsUrl: nats.url, config, stop: database.drop }
}

/** A service that answers every event with nothing, but for those given. */
export function specService<S extends ServiceName>(
  name: S,
  accept: Partial<AcceptTable<S>>,
  phases: Record<string, PhaseHandler> = {},
): ServiceDefinition<S> {
  const nothing = (): Accepted => ({})
  const rest = Object.fromEntries(subscriptions[name].map((key) => [key, nothing])) as unknown as AcceptTable<S>
  return { name, accept: { ...rest, ...accept }, phases }
}

/** A promise and how to end it. */
export interface Signal<T = void> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

/** Something that a spec waits for. */
export function signal<T = void>(): Signal<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { promise, resolve }
}
