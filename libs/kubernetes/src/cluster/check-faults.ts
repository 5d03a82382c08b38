import { type ChaosFault, type Fault, type Scenario } from '@ordeal/shared'
import { chaosManifest, isChaosFault } from './chaos.js'
import { schemaProblems } from './chaos-schema.js'

/** Any place will do: it is the fault that is looked at. */
const ANYWHERE = { name: 'fault', namespace: 'sandbox', labels: {} }

/**
 * Why a scenario's faults cannot become objects of Chaos Mesh, each with the fault, the field and what to do; empty when
 * they can. What only a cluster knows (pods, mounts, kinds) is asked before a run.
 */
export function faultProblems({ faults }: Scenario): string[] {
  const all = faults.flat()
  return [...twins(all), ...all.flatMap(fixedProblems), ...all.filter(isChaosFault).flatMap(problemsOfSteps)]
}

/** Names of objects are lower-case. */
function twins(faults: readonly Fault[]): string[] {
  const groups = Map.groupBy(faults, ({ id }) => id.toLowerCase())
  return [...groups].flatMap(([id, { length }]) =>
    length > 1 ? [`${length} faults are called ${id}: give each an id of its own, whatever its case`] : [],
  )
}

const fixedProblems = ({ id, target: { mode, count } }: Fault): string[] =>
  (mode === 'fixed') === (count !== null) ? [] : [`fault ${id}: target.count goes with mode fixed, and with no other`]

/** Of the fault as it is, and of each step of its ladder. */
const problemsOfSteps = (fault: ChaosFault): string[] =>
  Array.from({ length: 1 + (fault.stronger?.length ?? 0) }, (_, step) => atStep(fault, step)).flatMap((stepped, step) =>
    schemaProblems(chaosManifest(stepped, ANYWHERE)).map(
      (problem) => `fault ${fault.id}${step ? ` (step ${step} of its ladder)` : ''}: ${problem}`,
    ),
  )

/** The fault with the parameters of a step of its ladder; past its top, those of the last. Step 0 is the fault itself. */
export function atStep<F extends Fault>(fault: F, step: number): F {
  const { stronger = [] } = fault
  const parameters = stronger[Math.min(step, stronger.length) - 1]
  // A fault and its ladder have parameters of one action.
  return parameters ? { ...fault, parameters } : fault
}
