/** How far apart metrics-server's readings are, which is the window that its figures stand for. */
export const WINDOW_MS = 15_000

/** What was used of a resource in the last whole window: lumps (a request's work) and a steady rate (a stress). */
export class UsageMeter {
  private windowStart: number
  private settledAt: number
  private used = 0
  private previous: number | null = null
  private rate = 0

  constructor(nowMs: number) {
    this.windowStart = nowMs
    this.settledAt = nowMs
  }

  /** Adds a lump, in the meter's unit times milliseconds. */
  add(nowMs: number, amount: number): void {
    if (nowMs >= this.windowStart + WINDOW_MS) this.settle(nowMs)
    this.used += amount
  }

  /** From now on so much is used all the time. */
  setRate(nowMs: number, rate: number): void {
    this.settle(nowMs)
    this.rate = rate
  }

  /** The mean use over the last whole window; null until one is over. */
  mean(nowMs: number): number | null {
    this.settle(nowMs)
    return this.previous === null ? null : this.previous / WINDOW_MS
  }

  /** When the last whole window ended, ms. */
  endOfWindow(nowMs: number): number {
    this.settle(nowMs)
    return this.windowStart
  }

  private settle(nowMs: number): void {
    while (nowMs >= this.windowStart + WINDOW_MS) this.closeWindow(nowMs)
    this.used += this.rate * (nowMs - this.settledAt)
    this.settledAt = nowMs
  }

  private closeWindow(nowMs: number): void {
    const end = this.windowStart + WINDOW_MS
    this.previous = this.used + this.rate * (end - this.settledAt)
    const idle = Math.floor((nowMs - end) / WINDOW_MS)
    // Whole windows without a lump are all alike: only the last of them counts.
    if (idle > 0) this.previous = this.rate * WINDOW_MS
    this.windowStart = end + idle * WINDOW_MS
    this.settledAt = this.windowStart
    this.used = 0
  }
}
