import { timestamp } from '../store/object.js'
import { limitsOf, allSets, type Rollout, totalSize } from './deployment-sets.js'
import { type Condition, conditionOf, type Deployment, type DeploymentStatus, type ReplicaSet } from './objects.js'
import { withoutZeroes } from './without-zeroes.js'

const NO_DEADLINE = 2147483647

type Counted = Required<
  Pick<DeploymentStatus, 'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas'>
>

/** The status of a Deployment: counts, and the conditions Available and Progressing with upstream's reasons. */
export function deploymentStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment } = rollout
  const counts = count(rollout)
  const now = timestamp(nowMs)
  const old = deployment.status?.conditions ?? []
  const available = setCondition(old, availability(rollout, counts), now)
  const progress = progressing({ rollout, counts, nowMs })
  const moved = progress ? setCondition(available, progress, now) : available
  const conditions = withFailure(moved, allSets(rollout), now)
  return { observedGeneration: deployment.metadata.generation ?? 1, ...withoutZeroes(counts), conditions }
}

/** What keeps a ReplicaSet from making its pods keeps the Deployment, too. */
function withFailure(conditions: readonly Condition[], sets: readonly ReplicaSet[], now: string): Condition[] {
  const failure = [...sets]
    .reverse()
    .flatMap(({ status }) => conditionOf(status?.conditions, 'ReplicaFailure') ?? [])[0]
  if (!failure) return conditions.filter(({ type }) => type !== 'ReplicaFailure')
  const { type, status, reason, message } = failure
  return setCondition(conditions, { type, status, reason, message }, now)
}

/** The conditions of a Deployment whose new ReplicaSet was just made. */
export function withCreated({ deployment, current }: Rollout, nowMs: number): Condition[] {
  const old = deployment.status?.conditions ?? []
  if (!current || deadlineOf(deployment) === null) return [...old]
  const created = progress('NewReplicaSetCreated', `Created new replica set "${current.metadata.name}"`)
  return setCondition(old, created, timestamp(nowMs))
}

function count(rollout: Rollout): Counted {
  const sets = allSets(rollout)
  const sum = (read: (set: ReplicaSet) => number | undefined) =>
    sets.reduce((total, set) => total + (read(set) ?? 0), 0)
  const replicas = sum(({ status }) => status?.replicas)
  const availableReplicas = sum(({ status }) => status?.availableReplicas)
  return {
    replicas,
    updatedReplicas: rollout.current?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, totalSize(sets) - availableReplicas),
  }
}

function availability({ deployment, replicas }: Rollout, counts: Counted): Condition {
  const enough = counts.availableReplicas >= replicas - limitsOf(deployment).maxUnavailable
  return {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
  }
}

interface Progress {
  readonly rollout: Rollout
  readonly counts: Counted
  readonly nowMs: number
}

function progressing(state: Progress): Condition | null {
  const { deployment, current } = state.rollout
  if (deadlineOf(deployment) === null) return null
  const turned = pausing(deployment)
  if (turned) return turned
  const before = conditionOf(deployment.status?.conditions, 'Progressing')
  const { replicas, updatedReplicas } = state.counts
  if (replicas === updatedReplicas && before?.reason === 'NewReplicaSetAvailable') return null
  return outcomeOf(state, before) ?? found(before, current)
}

/** A roll-out that is held, or goes on; null when nothing changes in that. */
function pausing({ spec, status }: Deployment): Condition | null {
  const before = conditionOf(status?.conditions, 'Progressing')
  const held = before?.reason === 'DeploymentPaused'
  if (!spec.paused && !held) return null
  const [reason, message] = spec.paused
    ? ['DeploymentPaused', 'Deployment is paused']
    : ['DeploymentResumed', 'Deployment is resumed']
  return { ...progress(reason, message), status: 'Unknown' }
}

/** Done, under way, or too late; null when nothing can be said. */
function outcomeOf({ rollout, counts, nowMs }: Progress, before: Condition | undefined): Condition | null {
  const { deployment, current } = rollout
  const subject = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`
  if (isComplete(rollout, counts)) return progress('NewReplicaSetAvailable', `${subject} has successfully progressed.`)
  if (moves(deployment.status ?? {}, counts)) return progress('ReplicaSetUpdated', `${subject} is progressing.`)
  if (!isLate(deployment, before, nowMs)) return null
  return { ...progress('ProgressDeadlineExceeded', `${subject} has timed out progressing.`), status: 'False' }
}

function found(before: Condition | undefined, current: ReplicaSet | null): Condition | null {
  if (before || !current) return null
  return progress('FoundNewReplicaSet', `Found new replica set "${current.metadata.name}"`)
}

const progress = (reason = '', message = ''): Condition => ({
  type: 'Progressing',
  status: 'True',
  reason,
  message,
})

/** Milliseconds until the rollout would be late; null when it is done or has no deadline. */
export function untilLate(deployment: Deployment, nowMs: number): number | null {
  const progress = conditionOf(deployment.status?.conditions, 'Progressing')
  const deadline = deadlineOf(deployment)
  const over = progress?.reason === 'NewReplicaSetAvailable' || progress?.reason === 'ProgressDeadlineExceeded'
  if (!progress || over || deadline === null) return null
  return Math.max(0, Date.parse(progress.lastUpdateTime ?? '') + deadline * 1000 - nowMs) + 1000
}

function deadlineOf({ spec }: Deployment): number | null {
  const seconds = spec.progressDeadlineSeconds ?? 600
  return seconds === NO_DEADLINE ? null : seconds
}

function isComplete({ replicas }: Rollout, counts: Counted): boolean {
  return counts.updatedReplicas === replicas && counts.replicas === replicas && counts.availableReplicas === replicas
}

function moves(before: DeploymentStatus, counts: Counted): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = before
  const oldPods = counts.replicas - counts.updatedReplicas
  return (
    counts.updatedReplicas > updatedReplicas ||
    oldPods < replicas - updatedReplicas ||
    counts.readyReplicas > readyReplicas ||
    counts.availableReplicas > availableReplicas
  )
}

function isLate(deployment: Deployment, before: Condition | undefined, nowMs: number): boolean {
  const deadline = deadlineOf(deployment)
  if (!before || deadline === null || before.reason === 'NewReplicaSetAvailable') return false
  if (before.reason === 'ProgressDeadlineExceeded') return true
  return Date.parse(before.lastUpdateTime ?? '') + deadline * 1000 <= nowMs
}

function setCondition(conditions: readonly Condition[], next: Condition, now: string): Condition[] {
  const before = conditionOf(conditions, next.type)
  const progress = next.reason === 'ReplicaSetUpdated'
  if (before?.status === next.status && before.reason === next.reason && !progress) return [...conditions]
  const lastTransitionTime = before?.status === next.status ? (before.lastTransitionTime ?? now) : now
  const written = { ...next, lastUpdateTime: now, lastTransitionTime }
  return [...conditions.filter(({ type }) => type !== next.type), written]
}
