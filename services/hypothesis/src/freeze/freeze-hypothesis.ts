import { createHash } from 'node:crypto'
import {
  stepLengthMs,
  TerminalError,
  type Graph,
  type Hypothesis,
  type Measurement,
  type Scenario,
  type SteadyState,
  type SteadyStateDraft,
  type Threshold,
} from '@ordeal/shared'
import { DEFAULT_ASSUMPTIONS, DEFAULTS } from '../draft/failure-model.js'
import { feels } from '../draft/feels.js'

type Settled = Extract<Measurement, { settled: true }>
type Measured = Settled['steadyStates'][number]

type Flaw = { readonly kind: 'unmeasured' | 'baseline' | 'control'; readonly why: string }

/** Why a drafted steady state is left out of the hypothesis, or null when it stays. */
function flawOf(measured: Measured | undefined): Flaw | null {
  if (!measured || measured.baseline.samples === 0) return { kind: 'unmeasured', why: 'it could not be measured' }
  const share = 1 - measured.baseline.failed / measured.baseline.samples
  if (share < DEFAULTS.normalShare) {
    return {
      kind: 'baseline',
      why: `only ${Math.floor(share * 1000) / 10} % of its samples were good without any fault`,
    }
  }
  if (!measured.negativeControl.failed) {
    return { kind: 'control', why: `it did not fail when it had to (${measured.negativeControl.how})` }
  }
  return null
}

/** An answer counts as normal up to a bound from the baseline, and always within the probe's time-out. */
function latencyBound(draft: SteadyStateDraft, measured: Measured): number | null {
  if (draft.probe.kind !== 'http' || !measured.baseline.latencyMs) return null
  const bound = Math.max(DEFAULTS.minLatencyBoundMs, DEFAULTS.latencyFactor * measured.baseline.latencyMs.p99)
  return Math.min(Math.ceil(bound), draft.probe.timeoutMs)
}

function complete(draft: SteadyStateDraft, measured: Measured): SteadyState {
  const threshold: Threshold = { ...draft.threshold, maxLatencyMs: latencyBound(draft, measured) }
  return { ...draft, threshold, baseline: measured.baseline, negativeControl: measured.negativeControl }
}

/** Steps of a scenario follow each other; the fault window spans them all. */
function timingOf(scenario: Scenario): Hypothesis['timing'] {
  const faultMs = scenario.faults.reduce((sum, step) => sum + stepLengthMs(step), 0)
  return { ...DEFAULTS.timing, faultMs }
}

interface Judged {
  readonly draft: SteadyStateDraft
  readonly measured: Measured | undefined
  readonly flaw: Flaw | null
}

/** What users see must work before anything is broken. */
function requireWorking(judged: readonly Judged[]): void {
  const broken = judged.find(({ draft, flaw }) => draft.weight === 3 && flaw?.kind === 'baseline')
  if (!broken) return
  throw new TerminalError(
    'baseline-broken',
    `${broken.draft.target} does not work without any fault: ${broken.flaw?.why}`,
  )
}

const wordsFor = (judged: readonly Judged[]): string =>
  judged.flatMap(({ draft, flaw }) => (flaw ? [`${draft.id}: ${flaw.why}`] : [])).join('; ')

/** Every component that is hit needs a check that can feel it; without one the hypothesis would hold whatever happens. */
function requireFeeling(
  graph: Graph,
  scenario: Scenario,
  kept: readonly SteadyState[],
  judged: readonly Judged[],
): void {
  const components = new Set(scenario.faults.flat().map((fault) => fault.target.component))
  const unfelt = [...components].filter((component) => !kept.some((state) => feels(graph, state, component)))
  if (unfelt.length === 0) return
  throw new TerminalError(
    'no-checks',
    `No check that can fail would feel the loss of ${unfelt.join(', ')}. Left out: ${wordsFor(judged) || 'none'}`,
  )
}

/** What the hypothesis is made from. */
export interface FreezeInput {
  readonly graph: Graph
  readonly drafts: readonly SteadyStateDraft[]
  readonly measurement: Measurement
  readonly scenario: Scenario
}

/**
 * The hypothesis that every run will test. Checks that cannot fail, or that fail without a fault, are left out and
 * named; when what users see is among the latter, or nothing is left that would feel the fault, there is nothing to
 * test and the cycle is inconclusive. Throws TerminalError `baseline-broken` or `no-checks`.
 */
export function freezeHypothesis({ graph, drafts, measurement, scenario }: FreezeInput): Hypothesis {
  if (!measurement.settled) {
    throw new TerminalError('baseline-broken', `The application as given never came to work: ${measurement.cause}`, {
      details: { objects: measurement.objects },
    })
  }
  const byId = new Map(measurement.steadyStates.map((m) => [m.id, m]))
  const judged = drafts.map((draft) => ({ draft, measured: byId.get(draft.id), flaw: flawOf(byId.get(draft.id)) }))
  requireWorking(judged)
  const steadyStates = judged.flatMap(({ draft, measured, flaw }) =>
    flaw || !measured ? [] : [complete(draft, measured)],
  )
  requireFeeling(graph, scenario, steadyStates, judged)
  const left = judged.flatMap(({ draft, flaw }) =>
    flaw ? [`${draft.id} is not part of the hypothesis: ${flaw.why}`] : [],
  )
  const body = { steadyStates, scenario, timing: timingOf(scenario), assumptions: [...DEFAULT_ASSUMPTIONS, ...left] }
  return { ...body, hash: `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}` }
}
