import { isNativeError } from 'node:util/types'
import { RetryableError, TerminalError } from '../errors.js'

/** Thrown when Postgres cannot be reached or gave up on a transaction that may pass when tried again. */
export class StoreUnavailableError extends RetryableError {
  constructor(message: string, cause?: unknown) {
    super('store-unavailable', message, { cause, retryAfterMs: 500 })
  }
}

/** Thrown when the database was migrated by a newer build than this one. */
export class NewerDatabaseError extends TerminalError {
  constructor(set: string, found: number, known: number) {
    const advice = 'Start a build at least as new as the one that migrated it, or give this one its own database'
    super('database-newer', `${set} is at migration ${found}; this build knows up to ${known}. ${advice}`)
  }
}

const TRANSIENT_STATES = [/^08/, /^53/, /^57P0[1-3]$/, /^40001$/, /^40P01$/, /^55P03$/, /^57014$/, /^25P0[234]$/]
const TRANSIENT_CODES = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']
// The driver gives these no code.
const TRANSIENT_WORDS = /connection terminated|client has encountered a connection error|timeout exceeded when trying/i

/** Turns what the driver throws for an outage, a time-out or a deadlock into a StoreUnavailableError. */
export function translateStoreError(thrown: unknown): unknown {
  if (!isNativeError(thrown)) return thrown
  const code = (thrown as { code?: unknown }).code
  const transient =
    typeof code === 'string'
      ? TRANSIENT_STATES.some((state) => state.test(code)) || TRANSIENT_CODES.includes(code)
      : TRANSIENT_WORDS.test(thrown.message)
  return transient ? new StoreUnavailableError(`Postgres: ${thrown.message || String(code)}`, thrown) : thrown
}
