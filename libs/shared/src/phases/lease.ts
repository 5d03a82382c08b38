import { AbortedError } from '../errors.js'

/** Reads a clock that never goes back, in milliseconds. */
export type MonotonicClock = () => number

export type AbortReason = 'cancelled' | 'lease-lost' | 'stopping'

/**
 * The hold on a phase as this process knows it. It reckons from the moment before the heartbeat was sent, so it always
 * ends here before it ends in the database.
 */
export class Lease {
  readonly #controller = new AbortController()
  readonly #marginMs: number
  #validUntil: number
  #reason: AbortReason | null = null

  constructor(
    readonly id: string,
    readonly token: string,
    private readonly clock: MonotonicClock,
    lease: { claimedAt: number; leaseMs: number },
  ) {
    // Time for a write that was just begun to reach its target.
    this.#marginMs = lease.leaseMs / 8
    this.#validUntil = lease.claimedAt + lease.leaseMs
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why the phase must end, or null. The first reason stays. */
  get reason(): AbortReason | null {
    return this.#reason
  }

  /** Whether the database still keeps others away, as far as this process can tell. */
  get valid(): boolean {
    return this.clock() < this.#validUntil - this.#marginMs
  }

  extend(sentAt: number, leaseMs: number): void {
    this.#validUntil = sentAt + leaseMs
  }

  abort(reason: AbortReason): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller.abort(new AbortedError(reason))
  }

  /** Throws AbortedError when the phase was aborted or the lease has run out. */
  assert(): void {
    if (!this.valid) this.abort('lease-lost')
    this.#controller.signal.throwIfAborted()
  }
}
