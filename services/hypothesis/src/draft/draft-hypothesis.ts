import { type Expectations, type Graph, type Scenario, type SteadyStateDraft } from '@ordeal/shared'
import { passedDoors } from './doors.js'
import { assumptionsOf } from './failure-model.js'
import { scenarioChooser } from './scenario.js'
import { steadyStateDrafter } from './steady-states.js'

/** What a cycle would check and hit, before anything is measured: the answer of `ordeal plan`. */
export interface HypothesisDraft {
  readonly steadyStates: readonly SteadyStateDraft[]
  readonly scenario: Scenario
  readonly assumptions: readonly string[]
}

/** Drafts by the experts' rules alone: pure, without a cluster or a model. The graph must hold a workload. */
export function draftHypothesis(
  graph: Graph,
  options: { maxSteadyStates: number; expectations: Expectations },
): HypothesisDraft {
  const { expectations, maxSteadyStates } = options
  const { steadyStates } = steadyStateDrafter.expert({ graph, expectations, guessed: [], maxSteadyStates })
  const felt = steadyStates.map(({ id, target, weight }) => ({ id, target, weight }))
  return {
    steadyStates,
    scenario: scenarioChooser.expert({ graph, expectations, felt }),
    assumptions: [...assumptionsOf(expectations), ...passedDoors(graph, steadyStates)],
  }
}
