import { type LoggerService } from '@nestjs/common'
import { type Logger } from '../logging/logger.js'

/** Nest's own messages in our log: its chatter about wiring is for debugging only. */
export function createNestLogger(log: Logger): LoggerService {
  const text = (message: unknown): string => (message instanceof Error ? message.message : String(message))
  const debug = (message: unknown): void => log.debug(text(message), { from: 'nest' })
  return {
    log: debug,
    debug,
    verbose: debug,
    warn: (message) => log.warn(text(message), { from: 'nest' }),
    error: (message, ...more: unknown[]) => log.error(text(message), { from: 'nest', more: more.map(String) }),
    fatal: (message) => log.error(text(message), { from: 'nest' }),
  }
}
