import 'reflect-metadata'
import { Module, type DynamicModule, type ForwardReference, type Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { type ServiceConfig } from '../config/service-config.js'
import { TerminalError } from '../errors.js'
import { type ServiceName } from '../events/catalogue.js'
import { HealthController } from '../health/health.controller.js'
import { Lifecycle, type LifecycleState } from '../lifecycle/lifecycle.js'
import { type Logger } from '../logging/logger.js'
import { connectBroker } from '../messaging/connection.js'
import { JetStreamStrategy } from '../messaging/jetstream.strategy.js'
import { ensureStreams } from '../messaging/topology.js'
import { createStore, type Store } from '../store/store.js'
import { createVaultCipher } from '../store/vault-cipher.js'
import { noCrashpoints, type Crashpoints } from '../telemetry/crashpoints.js'
import { createMetrics } from '../telemetry/metrics.js'
import { type AnyService, type ServiceDefinition } from './definition.js'
import { createEventsController } from './events-controller.js'
import { createNestLogger } from './nest-logger.js'
import { createRuntime, SERVICE_RUNTIME, type RuntimeParts, type ServiceRuntime } from './runtime.js'
import { startWorkers } from './workers.js'

type NestModule = Type | DynamicModule | Promise<DynamicModule> | ForwardReference

export interface StartOptions {
  readonly log: Logger
  /** For crash tests. */
  readonly crashpoints?: Crashpoints
  /** Modules of the service's own, such as HTTP controllers; they may inject SERVICE_RUNTIME. */
  readonly imports?: (runtime: ServiceRuntime) => readonly NestModule[]
  /** Settings of the HTTP server that its controllers need. */
  readonly http?: { readonly bodyLimit?: number; readonly genReqId?: () => string }
  /** Filters, guards and the like, before the service listens. */
  readonly configure?: (app: NestFastifyApplication, runtime: ServiceRuntime) => void | Promise<void>
}

/** A service that runs in this process. */
export interface RunningService {
  readonly name: ServiceName
  /** Root of its HTTP interface: `/livez`, `/readyz`, `/metrics` and what its modules add. */
  readonly url: string
  readonly state: LifecycleState
  readonly runtime: ServiceRuntime
  /** Stops, drains and closes. Safe to call again; resolves when all is closed. */
  stop(): Promise<void>
}

async function checkSchema(store: Store, schema: ServiceName): Promise<void> {
  const [row] = await store.withPlumbing((tx) =>
    tx.query<{ there: boolean }>('select to_regclass($1) is not null as there', [`${schema}.phases`]),
  )
  if (row?.there) return
  throw new TerminalError('database-not-migrated', `the database has no tables for ${schema}. Run the migrations first`)
}

/** Connects and checks; each part joins the way down as soon as it is there, so that a failed start leaves nothing. */
async function connectParts(
  name: ServiceName,
  config: ServiceConfig,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<RuntimeParts> {
  const storeConfig = { ...config, poolSize: config.databasePool, name: `ordeal ${name}` }
  const store = createStore(storeConfig, log)
  lifecycle.join({ name: 'store', close: () => store.close() })
  await checkSchema(store, name)
  const broker = await connectBroker(config.natsUrl, `ordeal ${name}`, log)
  lifecycle.join({ name: 'broker', close: () => broker.close() })
  await ensureStreams(broker)
  const cipher = createVaultCipher(config.vaultKey)
  return { name, config, log, store, cipher, broker, lifecycle, metrics: createMetrics(name) }
}

function rootModule(runtime: ServiceRuntime, events: Type<object>, imports: readonly NestModule[]): DynamicModule {
  @Module({})
  class RuntimeModule {}
  @Module({})
  class ServiceModule {}

  const provided = { provide: SERVICE_RUNTIME, useValue: runtime }
  const shared = { module: RuntimeModule, global: true, providers: [provided], exports: [provided] }
  return { module: ServiceModule, imports: [shared, ...imports], controllers: [events, HealthController] }
}

async function createApp(
  definition: AnyService,
  runtime: ServiceRuntime,
  options: StartOptions,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ forceCloseConnections: true, ...options.http })
  const root = rootModule(runtime, createEventsController(definition), options.imports?.(runtime) ?? [])
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: createNestLogger(runtime.log),
    abortOnError: false,
  })
  runtime.lifecycle.join({ name: 'http', close: () => app.close() })
  await options.configure?.(app, runtime)
  return app
}

async function start(
  definition: AnyService,
  config: ServiceConfig,
  options: StartOptions,
  lifecycle: Lifecycle,
): Promise<RunningService> {
  const { crashpoints = noCrashpoints } = options
  const { name } = definition
  const parts = await connectParts(name, config, options.log, lifecycle)
  const runtime = createRuntime(parts)
  const app = await createApp(definition, runtime, options)
  const { accept, onDead } = startWorkers(definition, parts, crashpoints)
  const strategy = new JetStreamStrategy({
    ...parts,
    service: name,
    apply: accept,
    onDead,
    crashpoints,
    concurrency: config.messageConcurrency,
  })
  app.connectMicroservice({ strategy })
  lifecycle.join({ name: 'messages', stop: () => strategy.stopPulling(), drain: () => strategy.drain() })
  await app.startAllMicroservices()
  await app.listen(config.port, config.host)
  const url = await app.getUrl()
  options.log.info('the service runs', { url })
  return {
    name,
    url,
    runtime,
    get state() {
      return lifecycle.state
    },
    stop: () => lifecycle.stop(),
  }
}

/**
 * Starts a service: its Nest application over JetStream and HTTP, its relay and its runner. Rejects, with everything
 * closed again, when it cannot: BrokerError, StoreUnavailableError or TerminalError with the remedy.
 */
export async function startService<S extends ServiceName>(
  definition: ServiceDefinition<S>,
  config: ServiceConfig,
  options: StartOptions,
): Promise<RunningService> {
  const log = options.log.scope({ service: definition.name })
  const lifecycle = new Lifecycle({ log, drainMs: config.drainMs })
  try {
    return await start(definition as unknown as AnyService, config, { ...options, log }, lifecycle)
  } catch (error) {
    await lifecycle.stop()
    throw error
  }
}
