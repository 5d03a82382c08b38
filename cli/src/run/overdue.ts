import { type CycleEvent } from '@ordeal/gateway/contract'

/**
 * The time within which a cycle has to end. It stands still while the cycle waits for people, as the cycle's own deadline
 * does; a wait that goes on after its own end counts as overdue, too.
 */
export class Overdue {
  readonly #waits = new Map<unknown, number>()
  #timer: NodeJS.Timeout | undefined
  #since = 0

  constructor(
    private leftMs: number,
    private readonly graceMs: number,
    private readonly onOverdue: () => void,
  ) {
    this.#run()
  }

  /** Takes an event of the cycle into account. */
  see({ type, data }: CycleEvent): void {
    if (type !== 'approval.requested' && type !== 'approval.given') return
    if (this.#waits.size === 0) this.leftMs -= performance.now() - this.#since
    if (type === 'approval.requested') this.#waits.set(data.proposal, Date.parse(String(data.expiresAt)))
    else this.#waits.delete(data.proposal)
    this.#run()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #run(): void {
    this.stop()
    this.#since = performance.now()
    const waitMs = Math.max(0, ...[...this.#waits.values()].map((until) => until - Date.now()))
    this.#timer = setTimeout(this.onOverdue, (this.#waits.size > 0 ? waitMs : this.leftMs) + this.graceMs)
  }
}
