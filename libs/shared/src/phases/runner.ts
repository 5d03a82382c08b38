import { randomName } from '../ids.js'
import { startWorkLoop, type WorkLoop } from '../lifecycle/work-loop.js'
import { type Tx } from '../store/tx.js'
import { claimPhases, claimTurnOf, reapExpired, type ClaimedPhase } from './claim-phases.js'
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
  #reapedAt = -Infinity

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

  /** Takes back what others lost, now and then, and claims what there is room for. */
  async #pass(): Promise<boolean> {
    await this.#reap()
    const { store, service, leaseMs, tenantCap } = this.#options
    const [slots, finalSlots] = [this.#slots(false), this.#slots(true)]
    if (this.#stopping || slots + finalSlots === 0) return false
    const claimedAt = monotonic()
    const request = { owner: this.#owner, leaseMs, slots, finalSlots, tenantCap }
    const claim = (tx: Tx): Promise<ClaimedPhase[]> => claimPhases(tx, service, request)
    for (const phase of await store.withPlumbing(claim, claimTurnOf(service))) this.#start(phase, claimedAt)
    return false
  }

  async #reap(): Promise<void> {
    const { store, service, sweepMs, metrics } = this.#options
    if (monotonic() - this.#reapedAt < sweepMs) return
    metrics.leasesLost(await store.withPlumbing((tx) => reapExpired(tx, service)))
    this.#reapedAt = monotonic()
  }

  #slots(final: boolean): number {
    const busy = [...this.#running.values()].filter((running) => running.final === final).length
    return this.#options.concurrency - busy
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
