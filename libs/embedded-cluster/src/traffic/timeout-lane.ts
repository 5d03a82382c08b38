import { type Kernel } from '../kernel/kernel.js'
import { type Call } from './call.js'

/** Calls settled at the head before the list is cut, so that cutting costs nothing per call. */
const CUT_AT = 256

/**
 * Calls with one and the same time-out end in the order in which they began, so one timer at the head stands for all of
 * them: almost every call is answered in time and never costs a place in the kernel's heap.
 */
export class TimeoutLane {
  private calls: Call[] = []
  private head = 0
  private armed = false

  constructor(
    private readonly kernel: Kernel,
    private readonly timeoutMs: number,
  ) {}

  add(call: Call): void {
    call.deadlineMs = this.kernel.now + this.timeoutMs
    this.calls.push(call)
    if (!this.armed) this.arm()
  }

  private arm(): void {
    this.skipSettled()
    const next = this.calls[this.head]
    this.armed = next !== undefined
    if (next) this.kernel.at(next.deadlineMs, this, 'fire')
  }

  /** For the kernel: the time-out of the first is over. */
  fire(): void {
    for (;;) {
      this.skipSettled()
      const call = this.calls[this.head]
      if (!call || call.deadlineMs > this.kernel.now) break
      this.head += 1
      call.expire()
    }
    this.arm()
  }

  private skipSettled(): void {
    while (this.calls[this.head]?.settled) this.head += 1
    if (this.head < CUT_AT && this.head < this.calls.length) return
    this.calls = this.calls.slice(this.head)
    this.head = 0
  }
}
