import { type Cluster } from './cluster.js'
import {
  allSets,
  limitsOf,
  maximumOf,
  newSetSize,
  type Rollout,
  scaleSet,
  sizeOf,
  totalSize,
  withCurrent,
} from './deployment-sets.js'
import { type Pod, type ReplicaSet } from './objects.js'

type Current = Rollout & { current: ReplicaSet }
/** Pods that the set was told to give up no longer count, though its status may still list them. */
const availableIn = (set: ReplicaSet): number => Math.min(sizeOf(set), set.status?.availableReplicas ?? 0)

/** One step of a rolling update: grow the current set, or else shrink the old ones. */
export function rollOn(cluster: Cluster, given: Rollout): void {
  const rollout = withCurrent(cluster, given)
  if (rollout.created || growCurrent(cluster, rollout)) return
  shrinkOld(cluster, rollout)
}

/** One step of Recreate: everything old goes first, pods included. */
export function recreate(cluster: Cluster, rollout: Rollout): void {
  const active = rollout.old.filter((set) => sizeOf(set) > 0)
  if (active.length > 0) {
    for (const set of active) scaleSet(cluster, rollout, set, 0)
    return
  }
  if (oldPodsRun(cluster, rollout)) return
  const { current } = withCurrent(cluster, rollout)
  scaleSet(cluster, rollout, current, rollout.replicas)
}

/** The Deployment's size changed: spread the difference over its sets in proportion. */
export function rescale(cluster: Cluster, rollout: Rollout): void {
  const sets = allSets(rollout)
  const active = sets.filter((set) => sizeOf(set) > 0)
  const only = active.length <= 1 ? (active[0] ?? sets.at(-1)) : undefined
  if (only) scaleSet(cluster, rollout, only, rollout.replicas)
  else if (rollout.current && isSaturated(rollout.current, rollout.replicas)) {
    for (const set of rollout.old.filter((old) => sizeOf(old) > 0)) scaleSet(cluster, rollout, set, 0)
  } else if (active.length > 1) spread(cluster, rollout, active)
}

const isSaturated = (set: ReplicaSet, replicas: number): boolean =>
  sizeOf(set) === replicas && availableIn(set) === replicas

function spread(cluster: Cluster, rollout: Rollout, active: readonly ReplicaSet[]): void {
  const allowed = rollout.replicas > 0 ? rollout.replicas + limitsOf(rollout.deployment).maxSurge : 0
  const missing = allowed - totalSize(active)
  const bySize = [...active].sort((a, b) => sizeOf(b) - sizeOf(a))
  let given = 0
  const sizes = bySize.map((set) => {
    const share = Math.round((sizeOf(set) * allowed) / (maximumOf(set) || rollout.replicas)) - sizeOf(set)
    const part = missing > 0 ? Math.min(share, missing - given) : Math.max(share, missing - given)
    given += part
    return sizeOf(set) + part
  })
  bySize.forEach((set, index) => {
    const rest = index === 0 ? missing - given : 0
    scaleSet(cluster, rollout, set, Math.max(0, (sizes[index] ?? 0) + rest))
  })
}

function growCurrent(cluster: Cluster, rollout: Current): boolean {
  const size = sizeOf(rollout.current)
  if (size === rollout.replicas) return false
  const next = size > rollout.replicas ? rollout.replicas : newSetSize(rollout, size)
  return scaleSet(cluster, rollout, rollout.current, next)
}

function shrinkOld(cluster: Cluster, rollout: Current): void {
  const { current, old, replicas, deployment } = rollout
  if (totalSize(old) === 0) return
  const least = replicas - limitsOf(deployment).maxUnavailable
  const unavailable = sizeOf(current) - availableIn(current)
  const budget = totalSize(allSets(rollout)) - least - unavailable
  if (budget <= 0) return
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]))
  dropUnhealthy(sizes, budget)
  dropHealthy(sizes, allSets(rollout).reduce((sum, set) => sum + availableIn(set), 0) - least)
  for (const [set, size] of sizes) if (size !== sizeOf(set)) scaleSet(cluster, rollout, set, size)
}

/** Pods of old sets that are not available cost nothing to lose. */
function dropUnhealthy(sizes: Map<ReplicaSet, number>, budget: number): void {
  let left = budget
  for (const [set, size] of sizes) {
    const dropped = Math.min(left, Math.max(0, size - availableIn(set)))
    sizes.set(set, size - dropped)
    left -= dropped
  }
}

function dropHealthy(sizes: Map<ReplicaSet, number>, budget: number): void {
  let left = Math.max(0, budget)
  for (const [set, size] of sizes) {
    const dropped = Math.min(left, size)
    sizes.set(set, size - dropped)
    left -= dropped
  }
}

function oldPodsRun({ store }: Cluster, { deployment, old }: Rollout): boolean {
  const owners = new Set(old.map(({ metadata }) => metadata.uid))
  return store.listMatching<Pod>('pods', deployment.metadata.namespace ?? '', deployment.spec.selector).some((pod) => {
    const ended = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'
    return !ended && pod.metadata.ownerReferences?.some(({ uid }) => owners.has(uid))
  })
}
