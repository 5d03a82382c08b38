import { createHash } from 'node:crypto'
import {
  TerminalError,
  type Expectations,
  type Graph,
  type Hypothesis,
  type Measurement,
  type Probe,
  type Scenario,
  type SteadyState,
  type SteadyStateDraft,
  type Threshold,
} from '@ordeal/shared'
import { assumptionsOf, MEASURING } from '../draft/failure-model.js'
import { passing } from '../draft/doors.js'
import { feels } from '../draft/feels.js'
import { withLadders } from './ladder.js'

type Settled = Extract<Measurement, { settled: true }>
type Measured = Settled['steadyStates'][number]

type Flaw = { readonly kind: 'unmeasured' | 'baseline' | 'control'; readonly why: string }

/** Why a drafted steady state is left out of the hypothesis, or null when it stays. */
function flawOf(measured: Measured | undefined): Flaw | null {
  if (!measured || measured.baseline.samples === 0) return { kind: 'unmeasured', why: 'it could not be measured' }
  const share = 1 - measured.baseline.failed / measured.baseline.samples
  if (share < MEASURING.normalShare) {
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
  const bound = Math.max(MEASURING.minLatencyBoundMs, MEASURING.latencyFactor * measured.baseline.latencyMs.p99)
  return Math.min(Math.ceil(bound), draft.probe.timeoutMs)
}

function complete(draft: SteadyStateDraft, measured: Measured): SteadyState {
  const threshold: Threshold = { ...draft.threshold, maxLatencyMs: latencyBound(draft, measured) }
  const { baseline, negativeControl } = measured
  const statement = statementOf(draft, measured)
  return { ...draft, statement, probe: probeOf(draft, measured), threshold, baseline, negativeControl }
}

/** No statement speaks of a way that was not taken. */
function statementOf({ statement, target, probe }: SteadyStateDraft, { around }: Measured): string {
  if (probe.kind !== 'http' || !probe.through || around === undefined) return statement
  return statement.replaceAll(` through ${probe.through.ingress}`, ` at ${target} itself`)
}

/** As it was asked when it was measured: where no controller serves an Ingress, the service itself. */
function probeOf({ probe }: SteadyStateDraft, { around }: Measured): Probe {
  if (probe.kind !== 'http' || around === undefined) return probe
  const { through: _, ...direct } = probe
  return direct
}

/** In sentences, which Ingresses requests go around that were meant to go through them. */
function goneAround({ probe }: SteadyStateDraft, measured: Measured | undefined): string[] {
  if (probe.kind !== 'http' || !probe.through || measured?.around === undefined) return []
  return [passing(`Service/${probe.service}`, probe.through.ingress, measured.around)]
}

interface Judged {
  readonly draft: SteadyStateDraft
  readonly measured: Measured | undefined
  readonly flaw: Flaw | null
}

/**
 * What users see must work before anything is broken: of each thing that they ask, one of the paths asked for. (A model
 * may ask for a path that is not there; that is no reason to give up what does work.)
 */
function requireWorking(judged: readonly Judged[]): void {
  const works = (target: string): boolean =>
    judged.some((j) => j.draft.target === target && j.flaw?.kind !== 'baseline')
  const broken = judged.find(
    ({ draft, flaw }) => draft.weight === 3 && flaw?.kind === 'baseline' && !works(draft.target),
  )
  if (!broken) return
  throw new TerminalError(
    'baseline-broken',
    `${broken.draft.target} does not work without any fault: ${broken.flaw?.why}`,
  )
}

/** Drafts that were measured and can fail, with their bounds on latency; and in words what was left out and why. */
export interface Kept {
  readonly steadyStates: readonly SteadyState[]
  readonly leftOut: readonly string[]
  /** In sentences, what was measured otherwise than drafted. */
  readonly around: readonly string[]
}

/**
 * The steady states that a hypothesis can be made of. Checks that cannot fail, or that fail without a fault, are left out
 * and named; when what users see is among the latter, or nothing is left, there is nothing to test and the cycle is
 * inconclusive. Throws TerminalError `baseline-broken` or `no-checks`.
 */
export function keepProven(drafts: readonly SteadyStateDraft[], measurement: Measurement): Kept {
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
  const leftOut = judged.flatMap(({ draft, flaw }) => (flaw ? [`${draft.id}: ${flaw.why}`] : []))
  if (steadyStates.length === 0)
    throw new TerminalError('no-checks', `No check that can fail is left. Left out: ${leftOut.join('; ')}`)
  const around = new Set(judged.flatMap(({ draft, measured }) => goneAround(draft, measured)))
  return { steadyStates, leftOut, around: [...around] }
}

/**
 * Every component that is hit needs a check that can feel it; without one the hypothesis would hold whatever happens.
 * Throws TerminalError `no-checks`.
 */
export function requireFeeling(graph: Graph, components: readonly string[], kept: Kept): void {
  const unfelt = components.filter((component) => !kept.steadyStates.some((state) => feels(graph, state, component)))
  if (unfelt.length === 0) return
  throw new TerminalError(
    'no-checks',
    `No check that can fail would feel the loss of ${unfelt.join(', ')}. Left out: ${kept.leftOut.join('; ') || 'none'}`,
  )
}

/** What the hypothesis is made from. */
export interface FreezeInput {
  readonly steadyStates: readonly SteadyState[]
  readonly scenario: Scenario
  readonly timing: Hypothesis['timing']
  readonly expectations: Expectations
  readonly leftOut: readonly string[]
  /** In sentences, how steady states are asked otherwise than users ask. */
  readonly around: readonly string[]
}

/** The hypothesis that every run will test, under its hash. */
export function freezeHypothesis(input: FreezeInput): Hypothesis {
  const { steadyStates, scenario, timing, expectations, leftOut, around } = input
  const left = leftOut.map((words) => words.replace(': ', ' is not part of the hypothesis: '))
  const body = {
    steadyStates: [...steadyStates],
    scenario: withLadders(scenario),
    timing,
    stretches: { ...MEASURING.timing, faultMs: expectations.failureModel.durationMs },
    assumptions: [...assumptionsOf(expectations), ...around, ...left],
  }
  return { ...body, hash: `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}` }
}
