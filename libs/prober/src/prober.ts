import { loadOf } from './pod-load.js'
import { type HttpAnswer, type HttpTaker, type ListAnswer, type ListTaker, type ProberHost, type Task } from './host.js'
import { type ProberConfig, type SampleLine } from './protocol.js'
import { ScriptReading, type ScriptTaker } from './script/script-reading.js'
import { type ScriptStep } from './script/protocol.js'

export interface Prober {
  start(): void
  /** Ends sampling; answers that are still out are not written. */
  stop(): void
}

type Probe = ProberConfig['probes'][number]
type Reading = Omit<SampleLine, 'probe' | 'at' | 'latencyMs'> & { timed: boolean }

/** Requests of one probe that may be out at once, as a multiple of what its rate and time-out make normal. */
const SLACK = 2

/** On a busy node a prober comes late. Up to this its readings still tell whether the application answers. */
const LATE_MS = 500

/** Errors that begin so are the prober's own failure, not the application's. */
export const PROBER_ERROR = 'prober: '

/**
 * Samples every probe at a constant rate from `start()` on: open loop, so a slow answer delays nothing. Latency counts
 * from when a reading was really sent: what lies between that and when it was due is the prober's own lateness. A reading
 * that comes much too late, or for which no slot is free, is written as failed: every due instant has exactly one line.
 */
export function createProber(host: ProberHost, config: ProberConfig): Prober {
  return new ContinuousProber(host, config)
}

class ContinuousProber implements Prober {
  private samplers: Sampler[] = []

  constructor(
    private readonly host: ProberHost,
    private readonly config: ProberConfig,
  ) {}

  start(): void {
    const startMs = this.host.now()
    for (const probe of this.config.probes) {
      const sampler = new Sampler(this.host, probe, startMs)
      // Kept before it samples: whoever reads its first line may stop the prober at once.
      this.samplers.push(sampler)
      sampler.run()
    }
  }

  stop(): void {
    for (const sampler of this.samplers.splice(0)) sampler.stop()
  }
}

/** Takes the readings of one probe, each at its instant. */
class Sampler implements Task {
  private readonly periodMs: number
  private readonly timeoutMs: number
  private readonly slots: number
  /** Readings that are out, those that were given up among them. */
  private inFlight = 0
  private readonly open = new Set<OpenReading>()
  private index = 0
  private next: { cancel(): void } | null = null
  private stopped = false

  constructor(
    readonly host: ProberHost,
    readonly probe: Probe,
    private readonly startMs: number,
  ) {
    const { periodMs, timeoutMs } = timingOf(probe)
    this.periodMs = periodMs
    this.timeoutMs = timeoutMs
    this.slots = SLACK * (Math.ceil(timeoutMs / periodMs) + 1)
  }

  /** Takes what is due. The due instant is computed from the start each time, so that nothing drifts. */
  run(): void {
    for (; !this.stopped && this.nextMs <= this.host.now(); this.index += 1) this.sample(this.nextMs)
    // Whoever reads a line may stop the prober at once, in the middle of this.
    if (!this.stopped) this.next = this.host.at(this.nextMs, this)
  }

  stop(): void {
    this.stopped = true
    this.next?.cancel()
    for (const reading of this.open) reading.cancel()
  }

  /** A reading has its answer, in time or too late. */
  free(): void {
    this.inFlight -= 1
  }

  close(reading: OpenReading): void {
    this.open.delete(reading)
  }

  write(at: number, { timed, ...reading }: Reading, sentAt = at): void {
    if (this.stopped) return
    const latencyMs = timed ? round(this.host.now() - sentAt) : null
    const { ok, value, error, ...more } = reading
    const line = { probe: this.probe.id, at: round(at), ok, latencyMs, value, error, ...more } satisfies SampleLine
    this.host.log(JSON.stringify(line))
  }

  private get nextMs(): number {
    return this.startMs + this.index * this.periodMs
  }

  private sample(at: number): void {
    const sentAt = this.host.now()
    const lateMs = sentAt - at
    if (lateMs > Math.max(this.periodMs, LATE_MS))
      return this.write(at, failed(`${PROBER_ERROR}late by ${Math.round(lateMs)} ms`))
    if (this.inFlight >= this.slots)
      return this.write(at, failed(`${PROBER_ERROR}${this.inFlight} readings are still out`))
    this.inFlight += 1
    const reading = new OpenReading(this, at, { sentAt, timeoutMs: this.timeoutMs })
    this.open.add(reading)
    reading.take()
  }
}

/** One reading under way: it ends with its answer or, if that does not come, with its time-out. */
class OpenReading implements Task, HttpTaker, ListTaker, ScriptTaker {
  private readonly guard: { cancel(): void }
  private settled = false

  constructor(
    private readonly sampler: Sampler,
    private readonly at: number,
    private readonly sent: { readonly sentAt: number; readonly timeoutMs: number },
  ) {
    this.guard = sampler.host.at(sent.sentAt + sent.timeoutMs, this)
  }

  take(): void {
    const { host, probe } = this.sampler
    if (probe.kind === 'script') return new ScriptReading(host, probe, this, this.sent.sentAt).step()
    if (probe.kind !== 'http') return host.list(probe.path, this)
    const { url, headers, look } = probe
    host.http({ url, timeoutMs: this.sent.timeoutMs, headers, look }, this)
  }

  answered(answer: HttpAnswer): void {
    this.sampler.free()
    this.settle(httpReading(answer))
  }

  listed(answer: ListAnswer): void {
    const { probe } = this.sampler
    this.sampler.free()
    if (probe.kind === 'load') this.settle(loadReading(answer, probe))
    else this.settle(podsReading(answer, probe.kind === 'k8s' ? probe.minReady : 0))
  }

  scripted(step: Exclude<ScriptStep, { kind: 'asks' }>): void {
    this.sampler.free()
    this.settle(scriptReading(step))
  }

  /** Its time is up. */
  run(): void {
    this.settle(silence(this.sampler.host.now() - this.sent.sentAt, this.sent.timeoutMs))
  }

  cancel(): void {
    this.guard.cancel()
  }

  private settle(reading: Reading): void {
    if (this.settled) return
    this.settled = true
    this.guard.cancel()
    this.sampler.close(this)
    this.sampler.write(this.at, reading, this.sent.sentAt)
  }
}

function timingOf(probe: Probe): { periodMs: number; timeoutMs: number } {
  if (probe.kind === 'http') return { periodMs: 1000 / probe.ratePerSecond, timeoutMs: probe.timeoutMs }
  if (probe.kind === 'script') return { periodMs: probe.periodMs, timeoutMs: probe.timeoutMs }
  return { periodMs: probe.periodMs, timeoutMs: Math.max(1000, probe.periodMs) }
}

/** A prober that was held up itself does not know whether an answer was in time. */
const silence = (waitedMs: number, timeoutMs: number): Reading =>
  failed(
    waitedMs > timeoutMs + LATE_MS
      ? `${PROBER_ERROR}held up for ${Math.round(waitedMs - timeoutMs)} ms`
      : `no answer within ${timeoutMs} ms`,
  )

function httpReading({ status, error, content, dateMs }: HttpAnswer): Reading {
  if (status === null) return failed(error ?? 'no answer')
  const ok = status >= 200 && status <= 399
  return { ok, timed: true, value: status, error: ok ? null : `status ${status}`, content, dateMs }
}

function podsReading({ objects, error }: ListAnswer, minReady: number): Reading {
  if (objects === null) return failed(`${PROBER_ERROR}${error ?? 'the API did not answer'}`)
  const ready = objects.filter(isReady).length
  const ok = ready >= minReady
  return { ok, timed: false, value: ready, error: ok ? null : `${ready} of ${minReady} ready` }
}

function loadReading({ objects, error }: ListAnswer, { pod, resource }: Extract<Probe, { kind: 'load' }>): Reading {
  if (objects === null) return failed(`${PROBER_ERROR}${error ?? 'the API did not answer'}`)
  const load = loadOf(objects, pod, resource)
  if (!load) return failed(`no figures of ${pod}`)
  return { ok: true, timed: false, takenAt: load.takenAt, value: load.value, error: null }
}

/** A script that is at fault itself tells nothing of the application: that is the prober's failure. */
function scriptReading(step: Exclude<ScriptStep, { kind: 'asks' }>): Reading {
  if (step.kind === 'broken') return failed(`${PROBER_ERROR}script: ${step.message}`)
  const { value } = step
  return { ok: step.kind === 'passed', timed: true, value, error: step.kind === 'failed' ? step.message : null }
}

interface PodLike {
  metadata?: { deletionTimestamp?: unknown }
  status?: { conditions?: { type: string; status: string }[] }
}

/** A pod that may be counted on: ready, and not on its way out. */
function isReady(object: unknown): boolean {
  const pod = object as PodLike
  if (pod.metadata?.deletionTimestamp) return false
  return pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false
}

const failed = (error: string): Reading => ({ ok: false, timed: false, value: null, error })

/** Microseconds are enough, and keep lines short. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000
