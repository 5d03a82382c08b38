/** The migration program: brings roles and schemas up to date and ends. To be run before services of a newer build. */
import { readEnvironment } from './config/service-config.js'
import { coerceError, OrdealError } from './errors.js'
import { createLogger } from './logging/logger.js'
import { readMigrateConfig } from './store/migrate.config.js'
import { migrate } from './store/migrate.js'

const log = createLogger('migrate', 'info')
try {
  await migrate(readMigrateConfig(readEnvironment()))
  log.info('the database is up to date')
} catch (thrown) {
  const error = coerceError(thrown)
  log.error('the database could not be migrated', {
    reason: error.message,
    ...(error instanceof OrdealError ? { code: error.code } : { stack: error.stack }),
  })
  process.exitCode = 1
}
