import { CHAOS_API, type ChaosPlace, type Objects } from '@ordeal/kubernetes'
import { type Injection } from '@ordeal/shared'
import { type Targets } from './targets.js'

/** One fault of a run: where it is injected, and what is known of it so far. */
export interface RunFault {
  readonly targets: Targets
  readonly place: ChaosPlace
  /** The pod that looks at the targets from the fault's other side. */
  readonly witness: string | null
  readonly injection: Injection
}

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
