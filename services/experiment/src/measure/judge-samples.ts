import { type SampleLine } from '@ordeal/prober'
import { type Measurement, type SteadyStateDraft } from '@ordeal/shared'

type Settled = Extract<Measurement, { settled: true }>
type Baseline = Settled['steadyStates'][number]['baseline']

/** Samples that were due in a stretch of time, `to` excluded. */
export const within = (samples: readonly SampleLine[], probe: string, from: number, to: number): SampleLine[] =>
  samples.filter((s) => s.probe === probe && s.at >= from && s.at < to)

/** Samples without any fault, summed up. */
export function baselineOf(samples: readonly SampleLine[]): Baseline {
  const latencies = samples
    .flatMap((s) => (s.ok && s.latencyMs !== null ? [s.latencyMs] : []))
    .toSorted((a, b) => a - b)
  return {
    samples: samples.length,
    failed: samples.filter((s) => !s.ok).length,
    latencyMs: latencies.length ? { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) } : null,
  }
}

/** Nearest-rank quantile of ascending numbers. */
export const quantile = (ascending: readonly number[], share: number): number =>
  ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0

/** True when a check fails on these samples: fewer are good than it asks of the window of which it asks most. */
export function failsOn(samples: readonly SampleLine[], { threshold }: Pick<SteadyStateDraft, 'threshold'>): boolean {
  if (samples.length === 0) return false
  const { maxLatencyMs, fault, post } = threshold
  const good = samples.filter(
    (s) => s.ok && (maxLatencyMs === null || s.latencyMs === null || s.latencyMs <= maxLatencyMs),
  )
  return good.length / samples.length < Math.max(fault.minShare, post.minShare)
}
