import { type SampleLine } from '@ordeal/prober'
import { type Samples, type SteadyState, type Windows } from '@ordeal/shared'
import { ProberLostError } from '../prober/prober-pod.js'
import { periodOf } from '../prober/probes.js'

/** A prober that missed more than this share of its samples cannot testify. */
const MOST_MISSED = 0.05

/** Samples by steady state, over all windows. Throws ProberLostError when too many are missing. */
export function samplesOf(lines: readonly SampleLine[], states: readonly SteadyState[], windows: Windows): Samples {
  const [from, to] = [windows.pre.from, windows.post.to]
  return Object.fromEntries(
    states.map((state) => {
      const own = lines.filter((line) => line.probe === state.id && line.at >= from && line.at < to)
      assertWhole(own, state, to - from)
      return [state.id, own.map(({ at, ok, latencyMs, value, error }) => ({ at, ok, latencyMs, value, error }))]
    }),
  )
}

function assertWhole(samples: readonly SampleLine[], state: SteadyState, lengthMs: number): void {
  // One sample may fall on either side of each end.
  const due = Math.floor(lengthMs / periodOf(state)) - 1
  if (samples.length >= due * (1 - MOST_MISSED)) return
  throw new ProberLostError(`the prober took ${samples.length} of ${due} samples of ${state.id}`)
}
