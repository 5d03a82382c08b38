import { coerceError, OrdealError, RetryableError, TerminalError } from '../errors.js'
import { type RetryPolicy } from '../events/catalogue.js'
import { StoreUnavailableError } from '../store/errors.js'

/** How a delivery that failed ends. */
export type Settlement =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string }
  | { readonly kind: 'dead'; readonly code: string; readonly reason: string }

/**
 * The rule for every delivery that failed. `deliveries` counts this one. An outage of the store is not the message's
 * fault: it is retried for as long as it lasts. A terminal failure, and the last delivery of any other, is dead.
 */
export function settlementOf(thrown: unknown, deliveries: number, { delaysMs }: RetryPolicy): Settlement {
  const error = coerceError(thrown)
  const reason = error.message
  if (error instanceof TerminalError) return { kind: 'dead', code: error.code, reason }
  const delayMs = Math.max(
    delaysMs[Math.min(deliveries, delaysMs.length) - 1] ?? 1000,
    error instanceof RetryableError ? error.retryAfterMs : 0,
  )
  if (error instanceof StoreUnavailableError) return { kind: 'retry', delayMs, reason }
  if (deliveries <= delaysMs.length) return { kind: 'retry', delayMs, reason }
  return { kind: 'dead', code: error instanceof OrdealError ? error.code : 'bug', reason }
}
