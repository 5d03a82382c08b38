import { idOf, type KubernetesObject, mapAt } from '@ordeal/kubernetes'
import { type Change } from '@ordeal/shared'
import { type Candidate, type Rule, type Situation } from './candidate.js'
import { readinessChanges } from './readiness.js'

/** Kinds whose `spec.replicas` can be raised. */
const SCALABLE = new Set(['Deployment', 'ReplicaSet', 'StatefulSet'])

/**
 * More pods, said where the number is decided: by an autoscaler where there is one, which would take back what the
 * workload alone says.
 */
export function replicaChanges({ workload, object, scaler, failed }: Situation, replicas: number): Change[] {
  const raised = (target: KubernetesObject, id: string, field: string): Change => ({
    kind: 'edit',
    object: id,
    path: `/spec/${field}`,
    before: mapAt(target, 'spec')[field],
    after: replicas,
    file: null,
    reason: `With ${replicas} pods, the others answer while a lost one is replaced.`,
    fixes: [...failed],
  })
  const own = raised(object, workload.id, 'replicas')
  if (!scaler) return [own]
  const most = raised(scaler, idOf(scaler), 'maxReplicas')
  return [raised(scaler, idOf(scaler), 'minReplicas'), ...[most, own].filter(isRise)]
}

/** True for a number that is said already, and too low. */
const isRise = ({ before, after }: Change): boolean => typeof before === 'number' && before < Number(after)

/** Why more pods would be no remedy, or null. */
export function scalingRefusal({ workload }: Situation): string | null {
  if (workload.stateful) {
    return 'each of its pods keeps data of its own: more replicas would be more databases, not redundancy'
  }
  return SCALABLE.has(String(workload.id.split('/')[0])) ? null : 'its kind has no number of replicas'
}

function scaleTo(situation: Situation, replicas: number, extra: readonly Change[], idea: string): Candidate {
  const refused = scalingRefusal(situation)
  return refused ? { idea, refused } : { idea, changes: [...replicaChanges(situation, replicas), ...extra] }
}

/** A second pod, where there is one. */
export const addReplica: Rule = (situation) =>
  situation.workload.managed && situation.workload.replicas === 1
    ? scaleTo(situation, 2, [], `run two pods of ${situation.workload.id}`)
    : null

/** A second pod that gets traffic only once it answers. */
export const addReplicaWithReadiness: Rule = (situation) => {
  const { workload } = situation
  if (!workload.managed || workload.replicas !== 1) return null
  const readiness = readinessChanges(situation)
  if (readiness.length === 0) return null
  return scaleTo(situation, 2, readiness, `run two pods of ${workload.id} and give them a readiness probe`)
}

/** A third pod, where two did not do. */
export const addThirdReplica: Rule = (situation) =>
  situation.workload.managed && situation.workload.replicas <= 2
    ? scaleTo(situation, 3, readinessChanges(situation), `run three pods of ${situation.workload.id}`)
    : null
