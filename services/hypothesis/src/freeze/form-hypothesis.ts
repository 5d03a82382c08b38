import { consult, type Consultation } from '@ordeal/agents'
import {
  allAnswered,
  expectationsSchema,
  scenarioSchema,
  steadyStateSchema,
  timingSchema,
  type Expectations,
  type Graph,
} from '@ordeal/shared'
import { z } from 'zod'
import { leadingTargets } from '../draft/rank-targets.js'
import { scenarioChooser } from '../draft/scenario.js'
import { faultTuner } from './fault-parameters.agent.js'
import { requireFeeling, type Kept } from './freeze-hypothesis.js'
import { thresholdSetter } from './threshold.agent.js'
import { timelinePlanner } from './timeline.agent.js'

/** A hypothesis that is not frozen yet, and the expectations that it was formed from. */
export const unfrozenSchema = z.object({
  steadyStates: z.array(steadyStateSchema).min(1),
  scenario: scenarioSchema,
  timing: timingSchema,
  expectations: expectationsSchema,
  leftOut: z.array(z.string()),
  around: z.array(z.string()),
})
export type Unfrozen = z.infer<typeof unfrozenSchema>

/** What a hypothesis is formed from. */
export interface Grounds {
  readonly graph: Graph
  readonly expectations: Expectations
  readonly kept: Kept
  /** What is worth knowing besides, in words. */
  readonly around: readonly string[]
}

/** Asks how strict to be, what to hit, and for how long. Throws TerminalError `no-checks` where nothing would feel it. */
export async function formHypothesis(
  { graph, expectations, kept, around }: Grounds,
  place: Consultation,
): Promise<Unfrozen> {
  requireFeeling(graph, leadingTargets(graph, expectations.failureModel), kept)
  const felt = kept.steadyStates.map(({ id, target, weight }) => ({ id, target, weight }))
  const [{ steadyStates }, chosen] = await allAnswered([
    consult(thresholdSetter, { steadyStates: [...kept.steadyStates], expectations }, place),
    consult(scenarioChooser, { graph, expectations, felt }, place),
  ])
  const [scenario, timing] = await allAnswered([
    consult(faultTuner, { scenario: chosen, expectations }, place),
    consult(timelinePlanner, { scenario: chosen, steadyStates }, place),
  ])
  const { faultMs } = timelinePlanner.expert({ scenario, steadyStates })
  const asides = { leftOut: [...kept.leftOut], around: [...around] }
  return { steadyStates, scenario, timing: { ...timing, faultMs }, expectations, ...asides }
}
