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

function wordsFor(failed: readonly Sample[], total: number, outageMs: number): string {
  if (total === 0) return 'no samples'
  if (failed.length === 0) return 'every sample good'
  const counts = Map.groupBy(failed, (s) => s.error ?? 'too slow')
  const [commonest] = [...counts].toSorted((a, b) => b[1].length - a[1].length)
  const error = commonest ? `; mostly: ${commonest[0]}` : ''
  return `${percent(1 - failed.length / total)} good, longest outage ${seconds(outageMs)}${error}`
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

/** Judges one steady state in one window by rule. `all` are its samples of the whole run, in time order. */
export function judgeWindow(state: SteadyState, window: WindowName, all: readonly Sample[], windows: Windows): Check {
  const { from, to } = judgedPart(state, window, windows)
  const samples = all.filter((s) => s.at >= from && s.at < to)
  const good = (s: Sample): boolean => isGood(s, state)
  const failed = samples.filter((s) => !good(s))
  const outageMs = longestOutage(samples, good, to)
  const demand = demandOf(state, window)
  const measured = samples.length > 0 && samples.length >= (LEAST_COVERAGE * (to - from)) / periodOf(state)
  const passed = 1 - failed.length / samples.length >= demand.minShare && outageMs <= demand.maxOutageMs
  return {
    steadyState: state.id,
    window,
    outcome: measured ? (passed ? 'passed' : 'failed') : 'not-measured',
    samples: samples.length,
    failed: failed.length,
    worst: wordsFor(failed, samples.length, outageMs),
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
