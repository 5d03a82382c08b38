import { conditionOf, isReady, type Pod } from './objects.js'

/** Numbers to compare pods by, most telling first; the lower is deleted first. */
type Rank = readonly number[]

const PHASES: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * The order in which a ReplicaSet gives pods up: not bound, pending, not ready, on the node with more of its pods,
 * ready for a shorter time, restarted more often, younger.
 */
export function byDeletionOrder(pods: readonly Pod[]): (a: Pod, b: Pod) => number {
  const perNode = new Map<string, number>()
  for (const { spec } of pods) perNode.set(spec.nodeName ?? '', (perNode.get(spec.nodeName ?? '') ?? 0) + 1)
  const ranks = new Map(pods.map((pod) => [pod.metadata.uid, rankOf(pod, perNode.get(pod.spec.nodeName ?? '') ?? 0)]))
  return (a, b) => compare(ranks.get(a.metadata.uid) ?? [], ranks.get(b.metadata.uid) ?? [])
}

function rankOf(pod: Pod, together: number): Rank {
  const { phase = 'Pending', conditions, containerStatuses = [] } = pod.status ?? {}
  const ready = isReady(pod)
  const readySince = ready ? Date.parse(conditionOf(conditions, 'Ready')?.lastTransitionTime ?? '') : 0
  const restarts = Math.max(0, ...containerStatuses.map(({ restartCount }) => restartCount))
  return [
    pod.spec.nodeName ? 1 : 0,
    PHASES[phase] ?? 0,
    ready ? 1 : 0,
    -together,
    -readySince,
    -restarts,
    -Date.parse(pod.metadata.creationTimestamp),
  ]
}

function compare(a: Rank, b: Rank): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
