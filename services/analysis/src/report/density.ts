import { type Probe, type Sample } from '@ordeal/shared'
import { type SteadyState } from './facts.js'

/** Columns of a lane: samples are counted per column, so a report's size does not grow with their number. */
export const COLUMNS = 480

/** What fell into one column of a lane. */
export interface Column {
  total: number
  failed: number
  /** The worst value measured; null when there was none. */
  worst: number | null
}

/** How a steady state reads its samples. */
export interface Lens {
  failed: (sample: Sample) => boolean
  measure: (sample: Sample) => number | null
  worse: (a: number, b: number) => number
}

export interface Span {
  from: number
  to: number
}

/** Failed samples in a row: from the first of them to the next good one; `to` is null when none came. */
export interface Failure {
  from: number
  to: number | null
  samples: number
}

const readsValue = (probe: Probe | undefined): boolean => probe !== undefined && probe.kind !== 'http'

/** The lens of a steady state; without one (a hypothesis that is not known) a sample fails when it is not ok. */
export function lensOf(state: SteadyState | undefined): Lens {
  const limit = state?.threshold.maxLatencyMs ?? Infinity
  return {
    failed: (sample) => !sample.ok || (sample.latencyMs ?? 0) > limit,
    measure: readsValue(state?.probe) ? (sample) => sample.value : (sample) => sample.latencyMs,
    worse: readsValue(state?.probe) ? Math.min : Math.max,
  }
}

/**
 * Counts samples into `COLUMNS` columns over `span`. A sample fills the columns until the next one is due (at most one
 * and a half of the usual distance), so that a slow probe draws a line and a hole in the samples stays a hole.
 */
export function columnsOf(samples: readonly Sample[], span: Span, lens: Lens): Column[] {
  const columns = Array.from({ length: COLUMNS }, (): Column => ({ total: 0, failed: 0, worst: null }))
  const column = (at: number): number => Math.floor(((at - span.from) / (span.to - span.from)) * COLUMNS)
  const reach = 1.5 * usualDistance(samples)
  samples.forEach((sample, i) => {
    if (sample.at < span.from || sample.at > span.to) return
    const first = Math.min(COLUMNS - 1, column(sample.at))
    const until = Math.min(COLUMNS, column(Math.min(samples[i + 1]?.at ?? Infinity, sample.at + reach)))
    for (let c = first; c === first || c < until; c++) add(columns[c], sample, lens)
  })
  return columns
}

function add(column: Column | undefined, sample: Sample, lens: Lens): void {
  if (!column) return
  const value = lens.measure(sample)
  column.total++
  if (lens.failed(sample)) column.failed++
  if (value !== null) column.worst = column.worst === null ? value : lens.worse(column.worst, value)
}

/** Median distance of two samples in time; 0 for fewer than two. */
function usualDistance(samples: readonly Sample[]): number {
  const gaps = samples.slice(1).map((sample, i) => sample.at - (samples[i]?.at ?? 0))
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0
}

/** The failures within a span, in time order. */
export function failuresOf(samples: readonly Sample[], span: Span, lens: Lens): Failure[] {
  const failures: Failure[] = []
  let open: Failure | null = null
  for (const sample of samples) {
    if (sample.at < span.from || sample.at > span.to) continue
    if (!lens.failed(sample)) {
      if (open) open.to = sample.at
      open = null
    } else if (open) open.samples++
    else failures.push((open = { from: sample.at, to: null, samples: 1 }))
  }
  return failures
}
