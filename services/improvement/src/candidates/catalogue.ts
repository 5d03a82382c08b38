import { addReadiness } from './readiness.js'
import { addReplica, addReplicaWithReadiness, addThirdReplica } from './replicas.js'
import { replaceBarePod, replaceBarePodWithReadiness } from './bare-pod.js'
import { type Candidate, type Rule, type Situation } from './candidate.js'
import { calmLiveness } from './liveness.js'
import { spreadAnywhere, spreadOverNodes } from './spread.js'

/** Remedies, light and reversible first. */
const CATALOGUE: readonly Rule[] = [
  calmLiveness,
  spreadOverNodes,
  spreadAnywhere,
  addReadiness,
  addReplica,
  replaceBarePod,
  addReplicaWithReadiness,
  replaceBarePodWithReadiness,
  addThirdReplica,
]

/** What the catalogue offers in a situation, in the order in which it should be tried. */
export const candidatesFor = (situation: Situation): Candidate[] =>
  CATALOGUE.map((rule) => rule(situation)).filter((c) => c !== null)
