import { parseServiceConfig, readEnvironment, type Environment, type ServiceConfig } from '../config/service-config.js'
import { coerceError, OrdealError } from '../errors.js'
import { type ServiceName } from '../events/catalogue.js'
import { createLogger, type Logger } from '../logging/logger.js'
import { crashpointsOf } from '../telemetry/crashpoints.js'
import { type ServiceDefinition } from './definition.js'
import { startService, type RunningService, type StartOptions } from './start-service.js'

/** What a service is made from when its process starts. */
export interface MainParts<S extends ServiceName> {
  readonly definition: ServiceDefinition<S>
  readonly options?: Omit<StartOptions, 'log'>
}

export type MainFactory<S extends ServiceName> = (
  config: ServiceConfig,
  environment: Environment,
  log: Logger,
) => MainParts<S> | Promise<MainParts<S>>

const describe = (thrown: unknown): Record<string, unknown> => {
  const error = coerceError(thrown)
  // An expected error says it all; of a bug the stack is what helps.
  return error instanceof OrdealError ? { reason: error.message, code: error.code } : { stack: error.stack }
}

/**
 * First signal drains, the second one forces; one that comes while the service starts lets it start first. Exit code 0
 * after a drain, 1 when forced. A start that fails ends the process by itself.
 */
function stopOnSignals(starting: Promise<RunningService>, log: Logger): void {
  let asked = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) {
      log.warn('stopping at once', { signal })
      process.exit(1)
    }
    asked = true
    log.info('stopping', { signal })
    starting
      .then((service) => service.stop())
      .then(
        () => process.exit(0),
        () => undefined,
      )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/**
 * The main program of a service: configuration from the environment, then run until a signal. Exits with 1 when it
 * cannot start, or when something was thrown that nobody caught: what was in hand comes back by lease and redelivery.
 * For crash tests ORDEAL_CRASH_AT names a place where the process kills itself.
 */
export async function runMain<S extends ServiceName>(name: S, create: MainFactory<S>): Promise<void> {
  let log = createLogger(name, 'info')
  const fail = (message: string, thrown: unknown): never => {
    log.error(message, describe(thrown))
    process.exit(1)
  }
  process.on('uncaughtException', (error) => fail('an error was not caught', error))
  process.on('unhandledRejection', (reason) => fail('a rejection was not handled', reason))
  try {
    const environment = readEnvironment()
    const config = parseServiceConfig(environment)
    log = createLogger(name, config.logLevel)
    const { definition, options } = await create(config, environment, log)
    const crashpoints = crashpointsOf(environment)
    const starting = startService(definition, config, { crashpoints, ...options, log })
    stopOnSignals(starting, log)
    await starting
  } catch (error) {
    fail(`${name} could not start`, error)
  }
}
