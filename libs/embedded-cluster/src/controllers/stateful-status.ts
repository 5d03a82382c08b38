import {
  isAvailable,
  isReady,
  type ControllerRevision,
  type Pod,
  type StatefulSet,
  type StatefulSetStatus,
} from './objects.js'
import { REVISION_HASH } from './revisions.js'
import { withoutZeroes } from './without-zeroes.js'

export interface Revisions {
  /** Of the pods that the last finished roll-out left. */
  readonly current: ControllerRevision
  /** Of the template as it is now. */
  readonly update: ControllerRevision
}

export const revisionOfPod = ({ metadata }: Pod): string => metadata.labels?.[REVISION_HASH] ?? ''
export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined
export const isUp = (pod: Pod): boolean => pod.status?.phase === 'Running' && isReady(pod)

/** The status of a StatefulSet, as upstream's controller counts. */
export function statefulStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update }: Revisions,
  nowMs: number,
): StatefulSetStatus {
  const count = (test: (pod: Pod) => boolean) => pods.filter(test).length
  const alive = (revision: ControllerRevision) => (pod: Pod) =>
    !isTerminating(pod) && revisionOfPod(pod) === revision.metadata.name
  const counts = {
    readyReplicas: count(isUp),
    currentReplicas: count(alive(current)),
    updatedReplicas: count(alive(update)),
  }
  const status = {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: pods.length,
    ...withoutZeroes(counts),
    availableReplicas: count((pod) => isUp(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: 0,
  }
  return isRolledOut(set, status) ? finished(status, update) : status
}

function isRolledOut({ spec }: StatefulSet, status: StatefulSetStatus): boolean {
  const wanted = spec.replicas ?? 1
  const counts = [status.updatedReplicas ?? 0, status.readyReplicas ?? 0, status.replicas]
  return spec.updateStrategy?.type !== 'OnDelete' && counts.every((count) => count === wanted)
}

function finished(status: StatefulSetStatus, { metadata }: ControllerRevision): StatefulSetStatus {
  const { updatedReplicas } = status
  return {
    ...status,
    ...(updatedReplicas ? { currentReplicas: updatedReplicas } : {}),
    currentRevision: metadata.name,
  }
}
