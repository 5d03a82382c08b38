/**
 * What is assumed about failures and tolerances when the user says nothing (design §5.2). Shown with every cycle.
 */
export const DEFAULTS = {
  /** Open-loop traffic at each entry point. */
  requestsPerSecond: 10,
  /** A request without an answer by then is a failed sample. */
  requestTimeoutMs: 2000,
  /** How often the ready pods of a component are counted. */
  readyPeriodMs: 1000,
  /** Of the samples in the fault window, how many must be good. */
  minShare: 0.95,
  /** No total outage longer than this in the fault window. */
  maxOutageMs: 5000,
  /** Normal again from this long after the fault window. */
  normalAfterMs: 5000,
  /** Share of good samples that counts as normal: the baseline may not fall below it either. */
  normalShare: 0.98,
  /** An answer this many times slower than the baseline's p99 is not a normal answer … */
  latencyFactor: 3,
  /** … but never below this, so that a jitter of milliseconds is no failure. */
  minLatencyBoundMs: 500,
  /** Length of the baseline measurement. */
  baselineMs: 15_000,
  timing: { preMs: 10_000, faultMs: 60_000, postMs: 20_000 },
} as const

/** The default model in words, for reports. */
export const DEFAULT_ASSUMPTIONS: readonly string[] = [
  `traffic of ${DEFAULTS.requestsPerSecond} requests/s at each entry point`,
  'one pod of one workload fails at a time',
  `the fault window is ${DEFAULTS.timing.faultMs / 1000} s from injection`,
  `what a user sees must succeed for ${DEFAULTS.minShare * 100} % of requests in the window, without a total outage over ` +
    `${DEFAULTS.maxOutageMs / 1000} s, and be normal from ${DEFAULTS.normalAfterMs / 1000} s after its end`,
]
