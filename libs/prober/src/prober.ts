import { type ProberConfig, type SampleLine } from './protocol.js'

/** What the prober needs of the world. Real timers and sockets, or the embedded cluster's virtual time. */
export interface ProberHost {
  /** Milliseconds since the Unix epoch; must never go back. */
  now(): number
  at(timeMs: number, run: () => void): { cancel(): void }
  /** Sends one GET on a connection of its own and calls `done` once; redirects are answers. */
  http(request: HttpRequest, done: (answer: HttpAnswer) => void): void
  /** Lists the objects at an API path and calls `done` once. */
  list(path: string, done: (answer: ListAnswer) => void): void
  /** Writes one line of the log. */
  log(line: string): void
}
export interface HttpRequest {
  readonly url: string
  readonly timeoutMs: number
}
export interface HttpAnswer {
  readonly status: number | null
  readonly error: string | null
}
export interface ListAnswer {
  readonly objects: unknown[] | null
  readonly error: string | null
}

export interface Prober {
  start(): void
  /** Ends sampling; answers that are still out are not written. */
  stop(): void
}

type Probe = ProberConfig['probes'][number]
type Reading = Omit<SampleLine, 'probe' | 'at' | 'latencyMs'> & { timed: boolean }
/** Takes one reading and reports it once, or never (the guard timer then speaks). */
type Take = (timeoutMs: number, report: (reading: Reading) => void) => void

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
  const stops: (() => void)[] = []
  return {
    start: () => {
      const startMs = host.now()
      for (const probe of config.probes) stops.push(sampleContinuously(host, probe, startMs))
    },
    stop: () => stops.splice(0).forEach((stop) => stop()),
  }
}

function sampleContinuously(host: ProberHost, probe: Probe, startMs: number): () => void {
  const { periodMs, timeoutMs, take } = howToTake(host, probe)
  const slots = SLACK * (Math.ceil(timeoutMs / periodMs) + 1)
  const timers = new Set<{ cancel(): void }>()
  let inFlight = 0
  let stopped = false

  const write = (at: number, { timed, ...reading }: Reading, sentAt = at) => {
    if (stopped) return
    const latencyMs = timed ? round(host.now() - sentAt) : null
    host.log(
      JSON.stringify({
        probe: probe.id,
        at: round(at),
        ok: reading.ok,
        latencyMs,
        value: reading.value,
        error: reading.error,
      } satisfies SampleLine),
    )
  }
  const later = (timeMs: number, run: () => void) => {
    const timer = host.at(timeMs, () => {
      timers.delete(timer)
      run()
    })
    timers.add(timer)
    return () => {
      timer.cancel()
      timers.delete(timer)
    }
  }
  const sample = (at: number) => {
    const sentAt = host.now()
    const lateMs = sentAt - at
    if (lateMs > Math.max(periodMs, LATE_MS))
      return write(at, failed(`${PROBER_ERROR}late by ${Math.round(lateMs)} ms`))
    if (inFlight >= slots) return write(at, failed(`${PROBER_ERROR}${inFlight} readings are still out`))
    inFlight += 1
    let open = true
    const settle = (reading: Reading) => {
      if (!open) return
      open = false
      cancelGuard()
      write(at, reading, sentAt)
    }
    const cancelGuard = later(sentAt + timeoutMs, () => settle(silence(host.now() - sentAt, timeoutMs)))
    take(timeoutMs, (reading) => {
      inFlight -= 1
      settle(reading)
    })
  }
  // The due instant is computed from the start each time, so that nothing drifts.
  const tick = (index: number) => {
    let next = index
    for (; !stopped && startMs + next * periodMs <= host.now(); next += 1) sample(startMs + next * periodMs)
    // Whoever reads a line may stop the prober at once, in the middle of this.
    if (!stopped) later(startMs + next * periodMs, () => tick(next))
  }
  tick(0)
  return () => {
    stopped = true
    for (const timer of timers) timer.cancel()
  }
}

/** A prober that was held up itself does not know whether an answer was in time. */
const silence = (waitedMs: number, timeoutMs: number): Reading =>
  failed(
    waitedMs > timeoutMs + LATE_MS
      ? `${PROBER_ERROR}held up for ${Math.round(waitedMs - timeoutMs)} ms`
      : `no answer within ${timeoutMs} ms`,
  )

function howToTake(host: ProberHost, probe: Probe): { periodMs: number; timeoutMs: number; take: Take } {
  if (probe.kind === 'http') {
    const take: Take = (timeoutMs, report) => host.http({ url: probe.url, timeoutMs }, (a) => report(httpReading(a)))
    return { periodMs: 1000 / probe.ratePerSecond, timeoutMs: probe.timeoutMs, take }
  }
  const take: Take = (_, report) => host.list(probe.path, (answer) => report(podsReading(answer, probe.minReady)))
  return { periodMs: probe.periodMs, timeoutMs: Math.max(1000, probe.periodMs), take }
}

function httpReading({ status, error }: HttpAnswer): Reading {
  if (status === null) return failed(error ?? 'no answer')
  const ok = status >= 200 && status <= 399
  return { ok, timed: true, value: status, error: ok ? null : `status ${status}` }
}

function podsReading({ objects, error }: ListAnswer, minReady: number): Reading {
  if (objects === null) return failed(`${PROBER_ERROR}${error ?? 'the API did not answer'}`)
  const ready = objects.filter(isReady).length
  const ok = ready >= minReady
  return { ok, timed: false, value: ready, error: ok ? null : `${ready} of ${minReady} ready` }
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
