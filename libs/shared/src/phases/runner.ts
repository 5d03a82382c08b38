import { randomName } from '../ids.js'
import { startWorkLoop, type WorkLoop } from '../lifecycle/work-loop.js'
import { claimPhases, reapExpired, type ClaimedPhase } from './claim-phases.js'
import { LeaseKeeper } from './lease-keeper.js'
import { Lease, type MonotonicClock } from './lease.js'
import { runPhase, type RunPhaseDeps } from './run-phase.js'

export interface RunnerOptions extends RunPhaseDeps {
  /** Phases at once; final ones have as many slots again, so that clean-up never waits behind work. */
  readonly concurrency: number
  readonly tenantCap: number
  readonly leaseMs: number
  /** How often the table is looked at without being told. */
  readonly sweepMs: number
}

const monotonic: MonotonicClock = () => performance.now()

/** Claims phases of one service and runs them, several at once. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #owner: string
  readonly #keeper: LeaseKeeper
  readonly #running = new Map<Promise<void>, { final: boolean }>()
  readonly #loop: WorkLoop
  #stopping = false

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#owner = `${options.service}-${process.pid}-${randomName(6)}`
    const { store, service: schema, leaseMs, log, sweepMs } = options
    this.#keeper = new LeaseKeeper({ store, schema, leaseMs, clock: monotonic, log })
    this.#loop = startWorkLoop({ name: 'runner', log, idleMs: sweepMs, pass: () => this.#pass() })
  }

  /** Phases that run in this process. */
  get count(): number {
    return this.#running.size
  }

  /** There may be phases to claim. */
  wake(): void {
    this.#loop.wake()
  }

  /** A cycle may have been cancelled. */
  lookForCancels(): void {
    this.#keeper.look()
  }

  /** Claims nothing new. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#loop.stop()
  }

  /** Aborts what runs and waits until it is handed back. */
  async drain(): Promise<void> {
    this.#keeper.abortAll()
    await Promise.all(this.#running.keys())
    await this.#keeper.stop()
  }

  async #pass(): Promise<boolean> {
    const { store, service } = this.#options
    await store.withPlumbing((tx) => reapExpired(tx, service))
    const final = await this.#claim(true)
    const ordinary = await this.#claim(false)
    return final || ordinary
  }

  /** Claims what there is room for; answers whether all of it was taken, so that there may be more. */
  async #claim(final: boolean): Promise<boolean> {
    const { store, service, concurrency, leaseMs, tenantCap } = this.#options
    const busy = [...this.#running.values()].filter((running) => running.final === final).length
    const slots = concurrency - busy
    if (slots <= 0 || this.#stopping) return false
    const claimedAt = monotonic()
    const request = { owner: this.#owner, leaseMs, slots, final, tenantCap }
    const claimed = await store.withPlumbing((tx) => claimPhases(tx, service, request))
    for (const phase of claimed) this.#start(phase, claimedAt)
    return claimed.length === slots
  }

  #start(phase: ClaimedPhase, claimedAt: number): void {
    const lease = new Lease(phase.id, phase.token, monotonic, { claimedAt, leaseMs: this.#options.leaseMs })
    this.#keeper.hold(lease)
    if (this.#stopping) lease.abort('stopping')
    const work = runPhase(this.#options, phase, lease).finally(() => {
      this.#keeper.release(lease)
      this.#running.delete(work)
      this.wake()
    })
    this.#running.set(work, { final: phase.final })
  }
}
