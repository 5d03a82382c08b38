import { inDiff, recordPerson, runAgent, type Consultation, type Next, type Subject } from '@ordeal/agents'
import { expectationsSchema, TerminalError, type Expectations, type SteadyState } from '@ordeal/shared'
import { isDeepStrictEqual } from 'node:util'
import { requireTargets } from '../draft/rank-targets.js'
import { thresholdOf } from '../draft/thresholds.js'
import { instructionsReader } from '../expect/instructions.agent.js'
import { formHypothesis, unfrozenSchema, type Grounds, type Unfrozen } from './form-hypothesis.js'
import { documentOf, formOf, readReplacement } from './hypothesis-form.js'

/** The hypothesis, before it is frozen, as something that people approve. */
export function hypothesisSubject(grounds: Grounds, first: Unfrozen, place: Consultation): Subject<Unfrozen> {
  const { graph } = grounds
  return {
    what: 'hypothesis',
    name: 'hypothesis',
    revision: 0,
    value: unfrozenSchema,
    form: formOf(first.steadyStates, graph),
    show: (value, before) => ({
      title: `Hypothesis: ${value.scenario.event}`,
      text: inDiff('hypothesis', before && inWords(before), inWords(value)),
      document: documentOf(value),
    }),
    replaced: async (document, value) => {
      const read = readReplacement(document, value, first.steadyStates, graph)
      if ('problems' in read) return { value, problems: read.problems }
      await recordPerson('hypothesis', documentOf(read.value), place.context)
      return { value: read.value, problems: [] }
    },
    revised: (message, value, round) => revised(grounds, { message, value }, { ...place, suffix: `-after-${round}` }),
  }
}

/** What would be checked and hit, with the measured facts that people judge it by. */
const inWords = ({ steadyStates, scenario, timing }: Unfrozen): unknown => ({
  event: scenario.event,
  reason: scenario.reason,
  faults: scenario.faults.map((step) =>
    step.map(({ kind, action, target, durationMs, parameters }) => ({
      fault: `${kind} ${action}`,
      target: target.component,
      pods: target.count ?? target.mode,
      durationMs,
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    })),
  ),
  steadyStates: steadyStates.map(({ id, statement, target, threshold, baseline, negativeControl }) => ({
    id,
    statement,
    target,
    threshold,
    baseline: `${baseline.samples - baseline.failed} of ${baseline.samples} samples good`,
    canFail: negativeControl.how,
  })),
  timing,
})

/**
 * Follows a message as instructions are followed (by the documented phrases, and by a model where there is one), as far
 * as that needs no new measurement.
 */
async function revised(
  { graph, kept, around }: Grounds,
  { message, value }: { readonly message: string; readonly value: Unfrozen },
  place: Consultation,
): Promise<Next<Unfrozen>> {
  const { context, models, suffix = '' } = place
  const base = value.expectations
  const said = await context.step(`${instructionsReader.name}${suffix}`, expectationsSchema, () =>
    runAgent(instructionsReader, { instructions: message, graph, base }, context, models),
  )
  const problems = [...notFollowed(said, base), ...measuredAlready(said, base)]
  const expectations = { ...said, traffic: base.traffic }
  const { failureModel, tolerances } = expectations
  if (isDeepStrictEqual([failureModel, tolerances], [base.failureModel, base.tolerances])) {
    return { value, problems: problems.length > 0 ? problems : ['Nothing in it changes what is checked or hit'] }
  }
  const bounds = isDeepStrictEqual(tolerances, base.tolerances) ? null : thresholdOf(expectations)
  const steadyStates = kept.steadyStates.map((state): SteadyState => {
    const known = value.steadyStates.find(({ id }) => id === state.id)?.threshold ?? state.threshold
    return { ...state, threshold: bounds ? { ...bounds, maxLatencyMs: known.maxLatencyMs } : known }
  })
  try {
    requireTargets(graph, failureModel)
    const next = await formHypothesis({ graph, expectations, kept: { ...kept, steadyStates }, around }, place)
    return { value: next, problems }
  } catch (error) {
    if (!(error instanceof TerminalError) || !['no-checks', 'input-invalid'].includes(error.code)) throw error
    return { value, problems: [...problems, error.message] }
  }
}

/** Sentences of which nothing was made. */
const notFollowed = (said: Expectations, base: Expectations): string[] =>
  said.notes.filter((note) => !base.notes.includes(note) && note.startsWith('Not understood'))

const measuredAlready = (said: Expectations, base: Expectations): string[] =>
  isDeepStrictEqual(said.traffic, base.traffic)
    ? []
    : ['The baseline was measured with the traffic as it is: for other traffic start a cycle with --instructions']
