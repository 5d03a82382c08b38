import { AbortedError, coerceError, OrdealError, RetryableError, Suspended, TerminalError } from '../errors.js'
import { type EventDraft, type Question } from '../service/definition.js'
import { type ArtefactEntry } from '../store/artefact-store.js'
import { type AbortReason } from './lease.js'

/** How an attempt at a phase ends. */
export type PhaseOutcome =
  | { readonly kind: 'done'; readonly emit: readonly EventDraft[]; readonly keep: readonly ArtefactEntry[] }
  | { readonly kind: 'retry'; readonly delayMs: number; readonly code: string; readonly message: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'cancelled' }
  /** Given back until one of the questions is answered or past its time; without any, for `forMs`. */
  | { readonly kind: 'suspended'; readonly questions: readonly Question[]; readonly forMs: number }
  /** Given back by a process that stops: queued again, at once and without a mark. */
  | { readonly kind: 'released' }
  /** Somebody else holds the phase: nothing is written. */
  | { readonly kind: 'lost' }

const MAX_RETRIES = 10
const MAX_BUG_ATTEMPTS = 3
const LONGEST_DELAY_MS = 30_000

const ABORTED: Record<AbortReason, PhaseOutcome> = {
  cancelled: { kind: 'cancelled' },
  stopping: { kind: 'released' },
  'lease-lost': { kind: 'lost' },
}

const backoffMs = (failures: number): number => Math.min(500 * 2 ** failures, LONGEST_DELAY_MS)

/**
 * What an error of a phase leads to. `failures` counts earlier failed attempts. Once a phase was aborted, whatever it
 * throws is a consequence of that; a bug gets two more tries, since some bugs are weather.
 */
export function outcomeOfError(thrown: unknown, failures: number, aborted: AbortReason | null): PhaseOutcome {
  if (aborted) return ABORTED[aborted]
  const error = coerceError(thrown)
  if (error instanceof Suspended) return { kind: 'suspended', questions: error.questions, forMs: error.forMs }
  if (error instanceof AbortedError) return ABORTED[error.reason]
  const { message } = error
  if (error instanceof TerminalError) return { kind: 'failed', code: error.code, message }
  const code = error instanceof OrdealError ? error.code : 'bug'
  const tries = error instanceof RetryableError ? MAX_RETRIES : MAX_BUG_ATTEMPTS
  if (failures + 1 >= tries) return { kind: 'failed', code, message }
  const wanted = error instanceof RetryableError ? error.retryAfterMs : 0
  return { kind: 'retry', delayMs: Math.max(wanted, backoffMs(failures)), code, message }
}
