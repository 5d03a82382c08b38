import { chaosName } from '@ordeal/kubernetes'
import { type Hypothesis, type Scenario } from '@ordeal/shared'
import { type Plan, type PlannedAction } from './plan.js'

/** Whose plan it is: names of Chaos objects derive from it. */
export interface PlanOf {
  readonly cycle: string
  readonly revision: number
}

const WINDOWS = ['pre', 'fault', 'post'] as const

/**
 * Compiles scenario and checks to a timeline. Pure: the same hypothesis gives the same timeline. The outer list of
 * faults runs in sequence, each step once the one before is over; the inner ones start at once. The fault window is
 * never shorter than the faults, and every check is judged in it.
 */
export function compilePlan({ scenario, timing, steadyStates, hash }: Hypothesis, of: PlanOf): Plan {
  const faultFrom = timing.preMs
  const faultTo = faultFrom + Math.max(timing.faultMs, lengthOf(scenario))
  return {
    revision: of.revision,
    hypothesisHash: hash,
    windows: {
      pre: { from: 0, to: faultFrom },
      fault: { from: faultFrom, to: faultTo },
      post: { from: faultTo, to: faultTo + timing.postMs },
    },
    actions: actionsOf(scenario, faultFrom, of),
    checks: steadyStates.flatMap(({ id }) => WINDOWS.map((window) => ({ steadyState: id, window }))),
  }
}

/** How long a step lasts: as long as its longest fault. */
export const stepLength = (step: Scenario['faults'][number]): number => Math.max(...step.map((f) => f.durationMs))

const lengthOf = (scenario: Scenario): number => scenario.faults.reduce((sum, step) => sum + stepLength(step), 0)

function actionsOf(scenario: Scenario, from: number, of: PlanOf): PlannedAction[] {
  const actions: PlannedAction[] = []
  let at = from
  for (const step of scenario.faults) {
    for (const fault of step) {
      const which = { fault: fault.id, name: chaosName(of.cycle, of.revision, fault.id) }
      actions.push({ at, do: 'inject', ...which }, { at: at + fault.durationMs, do: 'remove', ...which })
    }
    at += stepLength(step)
  }
  const first = (action: PlannedAction): number => (action.do === 'remove' ? 0 : 1)
  return actions.toSorted((a, b) => a.at - b.at || first(a) - first(b))
}
