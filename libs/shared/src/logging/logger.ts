import { pino, type DestinationStream } from 'pino'

type Fields = Record<string, unknown>

/** Structured logs with composed context: `scope` adds fields to every line of the logger it returns. */
export interface Logger {
  /** Somebody must act now. */
  error(message: string, fields?: Fields): void
  /** Somebody should look when there is time. */
  warn(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  debug(message: string, fields?: Fields): void
  scope(fields: Fields): Logger
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent'

/** Names of fields whose values never reach a log. */
const REDACTED = ['password', 'token', 'secret', 'authorization', 'apiKey', 'databaseUrl'].flatMap((k) => [k, `*.${k}`])

/** A logger that writes JSON lines to stderr (or to `destination`). */
export function createLogger(service: string, level: LogLevel, destination?: DestinationStream): Logger {
  const root = pino(
    { level, base: { service }, redact: REDACTED, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
  const wrap = (target: typeof root): Logger => ({
    error: (message, fields) => target.error(fields ?? {}, message),
    warn: (message, fields) => target.warn(fields ?? {}, message),
    info: (message, fields) => target.info(fields ?? {}, message),
    debug: (message, fields) => target.debug(fields ?? {}, message),
    scope: (fields) => wrap(target.child(fields)),
  })
  return wrap(root)
}
