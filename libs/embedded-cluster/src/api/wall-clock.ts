import type { Kernel } from '../kernel/kernel.js'

/** Never asleep longer than this, so that a change of the machine's clock is noticed. */
const MAX_SLEEP_MS = 1_000
const SLICE = 5_000

/** Runs a kernel at the speed of the wall clock. */
export class WallClock {
  private timer: NodeJS.Timeout | null = null
  private stopped = false

  constructor(
    private readonly kernel: Kernel,
    private readonly options: { wallNow: () => number; report: (error: unknown) => void },
  ) {
    this.tick()
  }

  /** Brings virtual time up to now; call before and after a request, whose changes may be due at once. */
  sync(): void {
    if (!this.stopped) this.tick()
  }

  stop(): void {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
  }

  private readonly tick = (): void => {
    if (this.timer) clearTimeout(this.timer)
    if (this.stopped) return
    const paused = this.run() === 'paused'
    const now = this.options.wallNow()
    const due = paused ? now : (this.kernel.nextAt ?? Infinity)
    this.timer = setTimeout(this.tick, Math.min(MAX_SLEEP_MS, Math.max(0, due - now)))
  }

  /** A failing event is reported and left behind: an interactive cluster goes on. */
  private run(): 'reached' | 'stopped' | 'paused' {
    try {
      return this.kernel.runUntil(this.options.wallNow(), { maxEvents: SLICE })
    } catch (error) {
      this.options.report(error)
      return 'paused'
    }
  }
}
