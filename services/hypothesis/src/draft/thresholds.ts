import { type Expectations, type Threshold } from '@ordeal/shared'
import { MEASURING } from './failure-model.js'

/** What is asked of a check, by what is expected of the application. */
export const thresholdOf = ({ tolerances, failureModel }: Expectations): Threshold => ({
  maxLatencyMs: null,
  // Where nothing is asked of the fault window, an outage may last as long as it.
  fault: { minShare: tolerances.minShare ?? 0, maxOutageMs: tolerances.maxOutageMs ?? failureModel.durationMs },
  post: { normalAfterMs: tolerances.normalAfterMs, minShare: MEASURING.normalShare },
})

/** What a model asks of a check; a field that it leaves out stays. */
export interface Wanted {
  readonly minShare?: number
  readonly maxOutageMs?: number
  readonly normalAfterMs?: number
  readonly maxLatencyMs?: number | null
}

/** A model may halve what is put up with, and no more: what nothing real can meet would call every application vulnerable. */
const STRICTEST = 0.5

/**
 * The stricter of a threshold and what a model wants of it, bound by bound. It never goes below half of what the
 * expectations put up with, however often models are asked, and leaves alone what the user asked for.
 */
export function stricter(now: Threshold, wanted: Wanted, expectations: Expectations): Threshold {
  const floor = thresholdOf(expectations)
  const least = (bound: number): number => bound * STRICTEST
  const own = new Set(expectations.askedFor)
  const atMost = (current: number, by: number | undefined, bound: number): number =>
    by === undefined ? current : Math.min(current, Math.max(by, least(bound)))
  const missed = atMost(1 - now.fault.minShare, wanted.minShare && 1 - wanted.minShare, 1 - floor.fault.minShare)
  const { maxLatencyMs: slowest } = now
  return {
    maxLatencyMs: slowest === null ? null : Math.min(slowest, wanted.maxLatencyMs ?? slowest),
    fault: {
      minShare: own.has('minShare') ? now.fault.minShare : rounded(1 - missed),
      maxOutageMs: own.has('maxOutageMs')
        ? now.fault.maxOutageMs
        : atMost(now.fault.maxOutageMs, wanted.maxOutageMs, floor.fault.maxOutageMs),
    },
    post: {
      ...now.post,
      normalAfterMs: own.has('normalAfterMs')
        ? now.post.normalAfterMs
        : atMost(now.post.normalAfterMs, wanted.normalAfterMs, floor.post.normalAfterMs),
    },
  }
}

/** Without what floating point adds: 0.97, not 0.9700000000000001. */
const rounded = (share: number): number => Math.round(share * 1e6) / 1e6
