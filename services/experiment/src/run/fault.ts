import { CHAOS_API, isChaosFault, type ChaosPlace, type Objects } from '@ordeal/kubernetes'
import { type ChaosFault, type FaultOf, type Injection } from '@ordeal/shared'
import { type Targets } from './targets.js'

/** One fault of a run: where it is injected, and what is known of it so far. */
export interface RunFault {
  readonly targets: Targets
  readonly place: ChaosPlace
  /** The pod that looks at the targets from the fault's other side. */
  readonly witness: string | null
  readonly injection: Injection
}

/** One that Chaos Mesh injects. */
export type ChaosRunFault = RunFault & { readonly targets: { readonly fault: ChaosFault } }
/** One that is done to objects. */
export type FunctionalRunFault = RunFault & { readonly targets: { readonly fault: FaultOf<'Functional'> } }

export const isChaosRunFault = (fault: RunFault): fault is ChaosRunFault => isChaosFault(fault.targets.fault)
export const isFunctionalRunFault = (fault: RunFault): fault is FunctionalRunFault => !isChaosRunFault(fault)

/** A fault that was not injected yet. */
export const plannedFault = (targets: Targets, place: ChaosPlace, witness: string | null): RunFault => ({
  targets,
  place,
  witness,
  injection: {
    fault: targets.fault.id,
    targets: [],
    evidence: { record: null, effect: null },
    injectedAt: null,
    recoveredAt: null,
  },
})

/** Paths of the collections in which the faults' Chaos objects live, to watch. */
export const chaosPaths = (objects: Objects, kinds: readonly string[], namespace: string): Promise<string[]> =>
  Promise.all([...new Set(kinds)].map((kind) => objects.path({ apiVersion: CHAOS_API, kind, namespace })))
