import { type KubernetesObject } from '@ordeal/kubernetes'
import { type Change, type Diagnosis, type Fault, type Graph, type Workload } from '@ordeal/shared'

/** What a rule of the catalogue may look at. `object` is the manifest of the workload that the diagnosis names. */
export interface Situation {
  readonly graph: Graph
  readonly workload: Workload
  readonly object: KubernetesObject
  /** What decides on the number of its pods in the place of its manifest. */
  readonly scaler?: KubernetesObject
  readonly diagnosis: Diagnosis
  /** Those that hit the workload. */
  readonly faults: readonly Fault[]
  /** Ids of the steady states that failed. */
  readonly failed: readonly string[]
}

/** A possible remedy: its changes, or the reason why it must not be tried here. */
export type Candidate =
  { readonly idea: string; readonly changes: readonly Change[] } | { readonly idea: string; readonly refused: string }

/** A rule of the catalogue: null when it has nothing to say. */
export type Rule = (situation: Situation) => Candidate | null
