import { type Check, type Outcome, type Probe, type Results, type WindowName } from '@ordeal/shared'
import { decimal, duration, percent } from './format.js'

type Threshold = NonNullable<Results['hypothesis']>['steadyStates'][number]['threshold']
type Verdict = Results['runs'][number]['verdict']

/** How a window is called in front of people. */
export const WINDOW_WORDS: Readonly<Record<WindowName, string>> = {
  pre: 'before the fault',
  fault: 'during the fault',
  post: 'after the fault',
}

export const CHECK_WORDS: Readonly<Record<Check['outcome'], string>> = {
  passed: 'passed',
  failed: 'failed',
  'not-measured': 'not measured',
}

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  held: 'held',
  refuted: 'refuted',
  inconclusive: 'inconclusive',
}

export type Tone = 'good' | 'bad' | 'unknown'

export const OUTCOME_TONE: Readonly<Record<Outcome, Tone>> = {
  resilient: 'good',
  improved: 'good',
  vulnerable: 'bad',
  inconclusive: 'unknown',
  cancelled: 'unknown',
  failed: 'unknown',
}

/** What a probe does: `GET http://web:80/ 10 times a second, 2 s to answer`. */
export function probeWords(probe: Probe): string {
  if (probe.kind === 'http') {
    const { service, port, path, through, ratePerSecond, timeoutMs } = probe
    const way = through ? ` through ${through.ingress}` : ''
    return `GET http://${through?.host ?? `${service}:${port}`}${path}${way}, ${decimal(ratePerSecond)}/s, ${duration(timeoutMs)} to answer`
  }
  if (probe.kind === 'script') {
    return `run a script against ${probe.service}:${probe.port} every ${duration(probe.periodMs)}, ${duration(probe.timeoutMs)} to end`
  }
  const labels = Object.entries(probe.selector).map(([key, value]) => `${key}=${value}`)
  return `count ready pods (${labels.join(', ')}) every ${duration(probe.periodMs)}, at least ${probe.minReady}`
}

/** What a steady state asks of its samples, one line for each demand. */
export function thresholdWords(threshold: Threshold): string[] {
  const { maxLatencyMs, fault, post } = threshold
  return [
    `during the fault: at least ${percent(fault.minShare)} good, no gap over ${duration(fault.maxOutageMs)}`,
    `after it: at least ${percent(post.minShare)} good from ${duration(post.normalAfterMs)} on`,
    ...(maxLatencyMs === null ? [] : [`an answer slower than ${duration(maxLatencyMs)} counts as failed`]),
  ]
}

/** Who answered a question. */
export const PROVENANCE_WORDS: Readonly<Record<Results['agents'][number]['provenance'], string>> = {
  model: 'model',
  repaired: 'model, after repair',
  expert: 'rules, no model',
  revised: 'model, after a person’s message',
  person: 'a person',
}
