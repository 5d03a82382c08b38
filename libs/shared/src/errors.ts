import { type Question } from './service/definition.js'

/**
 * Two families of expected failure; anything else that is thrown is a bug, retried on the curve of the event and then
 * dead-lettered.
 */
export abstract class OrdealError extends Error {
  /** Stable, machine-readable, kebab-case: `input-invalid`, `cluster-lost`. */
  abstract readonly code: string
  /** Facts for logs and API answers; never credentials. */
  readonly details: Record<string, unknown>

  constructor(message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.details = options.details ?? {}
  }
}

/** Trying again cannot help. */
export class TerminalError extends OrdealError {
  constructor(
    readonly code: string,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options)
  }
}

/** Trying again may help, not before `retryAfterMs`. */
export class RetryableError extends OrdealError {
  readonly retryAfterMs: number

  constructor(
    readonly code: string,
    message: string,
    options: { retryAfterMs?: number; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options)
    this.retryAfterMs = options.retryAfterMs ?? 1000
  }
}

/** Thrown when a user's input cannot be used; `place` is `file:line` or an object's name, `remedy` what to do. */
export class InputError extends TerminalError {
  constructor(
    message: string,
    readonly place: string | null = null,
    readonly remedy: string | null = null,
  ) {
    super('input-invalid', [place, message].filter(Boolean).join(': ') + (remedy ? `. ${remedy}` : ''), {
      details: { place, remedy },
    })
  }
}

/** Thrown by a wait that was cut short because its cycle is cancelled, its lease lost or the process stops. */
export class AbortedError extends TerminalError {
  constructor(readonly reason: 'cancelled' | 'lease-lost' | 'stopping') {
    super(`aborted-${reason}`, `aborted: ${reason}`)
  }
}

/**
 * No failure: thrown by a phase that has to wait for people, or for `forMs`. Nobody holds it meanwhile; when it is
 * resumed it begins anew and finds its steps again. It waits until one of the questions is answered or its time is up.
 */
export class Suspended extends Error {
  constructor(
    readonly questions: readonly Question[],
    readonly forMs = 0,
  ) {
    super('the phase waits')
    this.name = 'Suspended'
  }
}

/** Thrown when a wait passes its deadline. */
export class DeadlineError extends TerminalError {
  constructor(what: string, ms: number) {
    super('deadline', `${what} did not come within ${Math.round(ms / 1000)} s`, { details: { what, ms } })
  }
}

/** Whatever was thrown, as an Error. */
export function coerceError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Marks the branch of a switch that cannot be reached while the union is covered. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
