import { type Check, type Sample, type SteadyState, type WindowName, type Windows } from '@ordeal/shared'

/** Fewer samples than this share of what the rate promises, and the prober cannot have been at work. */
const LEAST_COVERAGE = 0.5

/** True when a sample meets the steady state: a good reading, and an answer in time where time counts. */
const isGood = (sample: Sample, state: SteadyState): boolean =>
  sample.ok &&
  (state.threshold.maxLatencyMs === null ||
    sample.latencyMs === null ||
    sample.latencyMs <= state.threshold.maxLatencyMs)

const periodOf = (state: SteadyState): number =>
  state.probe.kind === 'http' ? 1000 / state.probe.ratePerSecond : state.probe.periodMs

/** The longest stretch, in ms, from a failed sample to the next good one (or to the end of the window). */
export function longestOutage(samples: readonly Sample[], good: (s: Sample) => boolean, endMs: number): number {
  let since: number | null = null
  let longest = 0
  for (const sample of samples) {
    if (!good(sample)) since ??= sample.at
    else if (since !== null) {
      longest = Math.max(longest, sample.at - since)
      since = null
    }
  }
  return since === null ? longest : Math.max(longest, endMs - since)
}

/**
 * Time in ms from the end of the fault window until the last failed sample was over; 0 when none failed after it, null
 * when the last sample failed: it never became normal again.
 */
function recoveredAfter(post: readonly Sample[], good: (s: Sample) => boolean, faultEndMs: number): number | null {
  const last = post.findLastIndex((s) => !good(s))
  if (last < 0) return 0
  const next = post[last + 1]
  return next ? next.at - faultEndMs : null
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`
const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

interface Told {
  readonly total: number
  readonly outageMs: number
  /** Of the worst stretch, where that is not the whole window. */
  readonly worst: { readonly share: number; readonly ms: number } | null
}

function wordsFor(failed: readonly Sample[], { total, outageMs, worst }: Told): string {
  if (total === 0) return 'no samples'
  if (failed.length === 0) return 'every sample good'
  const counts = Map.groupBy(failed, (s) => s.error ?? 'too slow')
  const [commonest] = [...counts].toSorted((a, b) => b[1].length - a[1].length)
  const error = commonest ? `; mostly: ${commonest[0]}` : ''
  const within = worst ? ` (${percent(worst.share)} in its worst ${seconds(worst.ms)})` : ''
  return `${percent(1 - failed.length / total)} good${within}, longest outage ${seconds(outageMs)}${error}`
}

/** The windows of a run, and the stretch of each of which a share is asked, in ms; the whole window where none is given. */
export interface JudgedWindows extends Windows {
  readonly stretches?: Readonly<Record<WindowName, number | undefined>>
}

/** The least share of good samples in any stretch of the samples that is so long, which go from `from` to `to`. */
export function worstShare(
  samples: readonly Sample[],
  good: (s: Sample) => boolean,
  { from, to, stretchMs }: { readonly from: number; readonly to: number; readonly stretchMs: number },
): number {
  const failedBefore = runningCount(samples, (s) => !good(s))
  const begins = [from, ...samples.map((s) => s.at)].filter((begin) => begin <= to - stretchMs)
  const before = indexWalker(samples, to)
  const until = indexWalker(samples, to)
  return begins.reduce((worst, begin) => {
    const [first, end] = [before(begin), until(begin + stretchMs)]
    const failed = (failedBefore[end] ?? 0) - (failedBefore[first] ?? 0)
    return end > first ? Math.min(worst, 1 - failed / (end - first)) : worst
  }, 1)
}

/** How many of the first n samples are of a kind, for every n from 0. */
function runningCount(samples: readonly Sample[], counts: (s: Sample) => boolean): number[] {
  const sums = [0]
  for (const sample of samples) sums.push((sums.at(-1) ?? 0) + (counts(sample) ? 1 : 0))
  return sums
}

/** Index of the first sample at or after a time, asked for rising times. */
function indexWalker(samples: readonly Sample[], endMs: number): (at: number) => number {
  let index = 0
  return (at) => {
    while ((samples[index]?.at ?? endMs) < at && index < samples.length) index++
    return index
  }
}

/** The part of a window that is judged: the post window only from the time when it must be normal again. */
function judgedPart(state: SteadyState, window: WindowName, windows: Windows): { from: number; to: number } {
  const { from, to } = windows[window]
  return window === 'post' ? { from: Math.min(to, from + state.threshold.post.normalAfterMs), to } : { from, to }
}

/** What is asked of a window: least share of good samples and longest outage in ms. */
function demandOf(state: SteadyState, window: WindowName): { minShare: number; maxOutageMs: number } {
  return window === 'fault'
    ? state.threshold.fault
    : { minShare: state.threshold.post.minShare, maxOutageMs: Number.POSITIVE_INFINITY }
}

/** How long a stretch is of which a share is asked: the post window's loses the time that is left for coming back. */
function stretchOf(state: SteadyState, window: WindowName, { stretches }: JudgedWindows): number {
  const whole = stretches?.[window] ?? Number.POSITIVE_INFINITY
  return window === 'post' ? Math.max(whole - state.threshold.post.normalAfterMs, SHORTEST_STRETCH_MS) : whole
}

/** Fewer samples than in this time say little of a share. */
const SHORTEST_STRETCH_MS = 5000

/** Judges one steady state in one window by rule. `all` are its samples of the whole run, in time order. */
export function judgeWindow(
  state: SteadyState,
  window: WindowName,
  all: readonly Sample[],
  windows: JudgedWindows,
): Check {
  const { from, to } = judgedPart(state, window, windows)
  const samples = all.filter((s) => s.at >= from && s.at < to)
  const good = (s: Sample): boolean => isGood(s, state)
  const failed = samples.filter((s) => !good(s))
  const outageMs = longestOutage(samples, good, to)
  const demand = demandOf(state, window)
  const measured = samples.length > 0 && samples.length >= (LEAST_COVERAGE * (to - from)) / periodOf(state)
  const stretchMs = stretchOf(state, window, windows)
  const isWhole = stretchMs >= to - from
  const share = isWhole ? 1 - failed.length / samples.length : worstShare(samples, good, { from, to, stretchMs })
  const passed = share >= demand.minShare && outageMs <= demand.maxOutageMs
  return {
    steadyState: state.id,
    window,
    outcome: measured ? (passed ? 'passed' : 'failed') : 'not-measured',
    samples: samples.length,
    failed: failed.length,
    worst: wordsFor(failed, { total: samples.length, outageMs, worst: isWhole ? null : { share, ms: stretchMs } }),
    recoveredAfterMs:
      window === 'post'
        ? recoveredAfter(
            all.filter((s) => s.at >= windows.post.from && s.at < to),
            good,
            windows.fault.to,
          )
        : null,
  }
}
