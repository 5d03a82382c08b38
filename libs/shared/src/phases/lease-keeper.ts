import { type ServiceName } from '../events/catalogue.js'
import { startWorkLoop, type WorkLoop } from '../lifecycle/work-loop.js'
import { type Logger } from '../logging/logger.js'
import { type Store } from '../store/store.js'
import { extendLeases } from './claim-phases.js'
import { type Lease, type MonotonicClock } from './lease.js'

export interface LeaseKeeperOptions {
  readonly store: Store
  readonly schema: ServiceName
  readonly leaseMs: number
  readonly clock: MonotonicClock
  readonly log: Logger
}

/** Keeps the leases of one process alive with one statement per heartbeat, and aborts phases that lost theirs. */
export class LeaseKeeper {
  readonly #held = new Set<Lease>()
  readonly #options: LeaseKeeperOptions
  readonly #loop: WorkLoop

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
    const { log, leaseMs } = options
    this.#loop = startWorkLoop({ name: 'leases', log, idleMs: leaseMs / 4, pass: () => this.#beat() })
  }

  get count(): number {
    return this.#held.size
  }

  hold(lease: Lease): void {
    this.#held.add(lease)
  }

  release(lease: Lease): void {
    this.#held.delete(lease)
  }

  /** Looks at once, because somebody may have cancelled a cycle. */
  look(): void {
    this.#loop.wake()
  }

  abortAll(): void {
    for (const lease of this.#held) lease.abort('stopping')
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #beat(): Promise<boolean> {
    const leases = [...this.#held]
    try {
      if (leases.length > 0) await this.#extend(leases)
    } finally {
      for (const lease of this.#held) if (!lease.valid) lease.abort('lease-lost')
    }
    return false
  }

  async #extend(leases: readonly Lease[]): Promise<void> {
    const { store, schema, leaseMs, clock } = this.#options
    const sentAt = clock()
    const rows = await store.withPlumbing((tx) => extendLeases(tx, schema, leases, leaseMs))
    const kept = new Map(rows.map((row) => [row.id, row]))
    for (const lease of leases) {
      const row = kept.get(lease.id)
      if (!row) lease.abort('lease-lost')
      else if (row.cancelled) lease.abort('cancelled')
      if (row) lease.extend(sentAt, leaseMs)
    }
  }
}
