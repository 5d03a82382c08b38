import { type Kernel, type Timer } from '../kernel/kernel.js'
import { type Probe } from '../controllers/objects.js'

export type ProbeKind = 'startup' | 'readiness' | 'liveness'
export interface ProbeResult {
  readonly ok: boolean
  /** What a failure's event says. */
  readonly output: string
}

export interface ResultTaker {
  checked(result: ProbeResult): void
}

/** What a probe worker sees of its container. */
export interface ProbedContainer {
  /** When the running instance started, ms; null while none runs. */
  startedMs(): number | null
  /** Whether the start-up probe has succeeded, or there is none. */
  hasStarted(): boolean
  /** Takes a reading and hands it to `taker`. */
  check(probe: Probe, taker: ResultTaker): void
  /** One reading failed. */
  failed(kind: ProbeKind, output: string): void
  /** The threshold was reached in either direction; told again only after a change. */
  changed(kind: ProbeKind, ok: boolean): void
}

/**
 * One probe of one container, with the kubelet's timing: it ticks with its period from the moment the pod was taken
 * over (not from the container's start; a readiness probe again from each time the kubelet looks), skips ticks while the container does not run, waits for its start-up probe or
 * is within the initial delay, and runs one check at a time.
 */
export class ProbeWorker implements ResultTaker {
  private timer: Timer | null = null
  private instance: number | null = null
  private checking = false
  /** The instance that the check under way is of. */
  private checkedInstance: number | null = null
  private again = false
  private run = 0
  private last: boolean | null = null
  private verdict: boolean | null = null
  /** A container that failed its liveness or start-up probe is not probed until it was restarted. */
  private onHold = false
  private stopped = false

  constructor(
    private readonly kernel: Kernel,
    private readonly kind: ProbeKind,
    private readonly probe: Probe,
    private readonly container: ProbedContainer,
  ) {
    this.tick()
  }

  stop(): void {
    this.stopped = true
    this.timer?.cancel()
  }

  /** Ticks now, and from now on with its period. */
  trigger(): void {
    if (this.stopped) return
    this.timer?.cancel()
    this.tick()
  }

  /** Also for the kernel. */
  tick(): void {
    this.timer = this.kernel.after((this.probe.periodSeconds ?? 10) * 1000, this, 'tick')
    this.attempt()
  }

  private attempt(): void {
    const startedMs = this.container.startedMs()
    if (startedMs !== this.instance) this.reset(startedMs)
    if (startedMs === null || this.onHold) return
    if ((this.kind === 'startup') === this.container.hasStarted()) return
    if (this.kernel.now - startedMs < (this.probe.initialDelaySeconds ?? 0) * 1000) return
    if (this.checking) {
      this.again = true
      return
    }
    this.check(startedMs)
  }

  private check(instance: number): void {
    this.checking = true
    this.checkedInstance = instance
    this.container.check(this.probe, this)
  }

  checked(result: ProbeResult): void {
    this.checking = false
    if (this.stopped) return
    if (this.container.startedMs() === this.checkedInstance) this.count(result)
    if (!this.again) return
    this.again = false
    this.attempt()
  }

  private reset(startedMs: number | null): void {
    this.instance = startedMs
    this.run = 0
    this.last = null
    this.verdict = null
    this.onHold = false
  }

  private count({ ok, output }: ProbeResult): void {
    if (!ok) this.container.failed(this.kind, output)
    this.run = ok === this.last ? this.run + 1 : 1
    this.last = ok
    const threshold = ok ? (this.probe.successThreshold ?? 1) : (this.probe.failureThreshold ?? 3)
    if (this.run < threshold) return
    if (!ok && this.kind !== 'readiness') this.onHold = true
    if (this.verdict === ok) return
    this.verdict = ok
    this.container.changed(this.kind, ok)
  }
}
