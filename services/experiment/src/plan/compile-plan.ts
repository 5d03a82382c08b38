import { chaosName, faultProblems } from '@ordeal/kubernetes'
import { faultEndMs, stepLengthMs, TerminalError, type Fault, type Hypothesis, type Scenario } from '@ordeal/shared'
import { periodOf } from '../prober/probes.js'
import { type Plan, type PlannedAction } from './plan.js'

/** Whose plan it is: names of Chaos objects derive from it. */
export interface PlanOf {
  readonly cycle: string
  readonly revision: number
}

const WINDOWS = ['pre', 'fault', 'post'] as const

/**
 * Compiles scenario and checks to a timeline. Pure: the same hypothesis gives the same timeline. The outer list of
 * faults runs in sequence, each step once the one before is over; the inner ones start with their step, or as long after
 * it as they say. The fault window is never shorter than the faults, and every check is judged in it. Throws
 * TerminalError `invalid-scenario` with all reasons when a fault cannot be injected as it is written.
 */
export function compilePlan({ scenario, timing, steadyStates, hash }: Hypothesis, of: PlanOf): Plan {
  const problems = [...faultProblems(scenario), ...unseen(scenario.faults.flat(), steadyStates)]
  if (problems.length) throw invalid(problems)
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

const invalid = (problems: readonly string[]): TerminalError =>
  new TerminalError('invalid-scenario', `the scenario cannot be carried out: ${problems.join('; ')}`, {
    details: { problems },
  })

/** A fault that is over between two samples of every check was seen by none. */
function unseen(faults: readonly Fault[], states: Hypothesis['steadyStates']): string[] {
  const periodMs = Math.min(...states.map(periodOf))
  return faults
    .filter((fault) => fault.durationMs < periodMs)
    .map(
      ({ id, durationMs }) =>
        `fault ${id}: durationMs is ${durationMs}, and no check is measured more often than every ${periodMs} ms: let it last as long at least`,
    )
}

const lengthOf = (scenario: Scenario): number => scenario.faults.reduce((sum, step) => sum + stepLengthMs(step), 0)

function actionsOf(scenario: Scenario, from: number, of: PlanOf): PlannedAction[] {
  const actions: PlannedAction[] = []
  let at = from
  for (const step of scenario.faults) {
    for (const fault of step) {
      const which = { fault: fault.id, name: chaosName(of.cycle, of.revision, fault.id) }
      const [begin, end] = [at + (fault.startAfterMs ?? 0), at + faultEndMs(fault)]
      actions.push({ at: begin, do: 'inject', ...which }, { at: end, do: 'remove', ...which })
    }
    at += stepLengthMs(step)
  }
  const first = (action: PlannedAction): number => (action.do === 'remove' ? 0 : 1)
  return actions.toSorted((a, b) => a.at - b.at || first(a) - first(b))
}
