import { type Expectations } from '@ordeal/shared'

/** How a run is measured: what no user asks for, and no model changes. */
export const MEASURING = {
  /** A request without an answer by then is a failed sample. */
  requestTimeoutMs: 2000,
  /** How often the ready pods of a component are counted. */
  readyPeriodMs: 1000,
  /** Share of good samples that counts as normal: the baseline may not fall below it either. */
  normalShare: 0.98,
  /** An answer this many times slower than the baseline's p99 is not a normal answer … */
  latencyFactor: 3,
  /** … but never below this, so that a jitter of milliseconds is no failure. */
  minLatencyBoundMs: 500,
  /** Length of the baseline measurement. */
  baselineMs: 15_000,
  timing: { preMs: 10_000, postMs: 20_000 },
} as const

const seconds = (ms: number): string => `${ms / 1000} s`

function hitInWords({ event, pods, together, latencyMs, workloads, spared }: Expectations['failureModel']): string {
  const WHICH = { one: 'one pod', all: 'all pods', node: 'all pods on one node' }
  const HAPPENS = {
    loss: 'fail at a time',
    slowness: `answer ${seconds(latencyMs)} late`,
    isolation: 'are cut off from the rest',
    pressure: 'are pressed for CPU',
  }
  const which = typeof pods === 'number' ? `${pods} pods` : WHICH[pods]
  const happens = pods === 'one' && event === 'loss' ? 'fails at a time' : HAPPENS[event]
  const where = workloads ? `of ${workloads.join(', ')}` : ''
  const what = `${which} of ${together > 1 ? `each of ${together} workloads at once` : 'one workload'} ${happens}`
  return [what, where && `(only ${where})`, spared.length > 0 ? `(never of ${spared.join(', ')})` : '']
    .filter(Boolean)
    .join(' ')
}

function tolerancesInWords({ minShare, maxOutageMs, normalAfterMs }: Expectations['tolerances']): string {
  const during = [
    minShare === null ? null : `succeed for ${Math.round(minShare * 1e4) / 100} % of requests in the window`,
    maxOutageMs === null ? null : `have no total outage over ${seconds(maxOutageMs)}`,
  ].filter(Boolean)
  return `what a user sees must ${[...during, `be normal from ${seconds(normalAfterMs)} after its end`].join(', and ')}`
}

/** The expectations in words, for reports. */
export const assumptionsOf = ({ failureModel, tolerances, traffic, notes }: Expectations): string[] => [
  `traffic of ${traffic.requestsPerSecond} requests/s at each entry point`,
  hitInWords(failureModel),
  `the fault window is ${seconds(failureModel.durationMs)} from injection`,
  tolerancesInWords(tolerances),
  ...notes,
]
