import { type SampleLine } from '@ordeal/prober'

/** One look at a prober's log: when it was asked for and answered, by the cluster's clock, and its lines. */
export interface Look {
  readonly askedAt: number
  readonly answeredAt: number
  readonly lines: readonly SampleLine[]
}

/** The longest that a reading without a latency may take until it is written. */
const LONGEST_MS = 60_000

const writtenAfter = ({ at, latencyMs }: SampleLine): number => at + (latencyMs ?? 0)
const writtenBefore = ({ at, latencyMs }: SampleLine): number => at + (latencyMs ?? LONGEST_MS)

/** How far the prober's clock is ahead of the cluster's clock as Ordeal sees it, as far as looks at the log prove it. */
export interface SkewMeter {
  note(look: Look): void
  /** Ms by which the prober is ahead; 0 as long as nothing proves that the clocks differ. */
  skewMs(): number
}

/**
 * A node's clock and ours may differ, and a window that is off by that would blame the wrong samples. A line that is in
 * the log was written before the answer came, and one that was not yet in it, after it was asked for: each look narrows
 * down how far apart the two clocks can be.
 */
export function createSkewMeter(): SkewMeter {
  let least = -Infinity
  let most = Infinity
  let before: Look | null = null
  return {
    note: (look) => {
      for (const line of look.lines) least = Math.max(least, writtenAfter(line) - look.answeredAt)
      for (const line of before ? newLines(before, look) : []) {
        most = Math.min(most, writtenBefore(line) - (before?.askedAt ?? 0))
      }
      before = look
    },
    skewMs: () => {
      if (least <= 0 && most >= 0) return 0
      if (!Number.isFinite(least) || !Number.isFinite(most)) return least > 0 ? least : most
      return (least + most) / 2
    },
  }
}

/** A log only grows. */
const newLines = (before: Look, { lines }: Look): readonly SampleLine[] => lines.slice(before.lines.length)

/** Samples as the cluster's clock would have timed them. */
export const onClusterClock = (samples: readonly SampleLine[], skewMs: number): SampleLine[] =>
  skewMs === 0 ? [...samples] : samples.map((sample) => ({ ...sample, at: sample.at - skewMs }))
