import { isReadyPod, type Pod } from '@ordeal/kubernetes'

/** What shows at a pod that a fault hit it, in words; null when nothing does. `now` null: the pod is gone. */
export function podEffect(before: Pod, now: Pod | null): string | null {
  const { name } = before.metadata
  if (!now || isAnother(before, now)) return `${name} is gone`
  if (now.metadata.deletionTimestamp) return `${name} is being ended`
  const restarted = restartsOf(now) - restartsOf(before)
  if (restarted > 0) return `${name} restarted ${restarted} ${restarted === 1 ? 'time' : 'times'}`
  return isReadyPod(before) && !isReadyPod(now) ? `${name} is not ready any more` : null
}

/** Whether a pod that was hit is no more, so that the fault does not cover what came in its place. */
export const wasReplaced = (before: Pod, now: Pod | null): boolean => !now || isAnother(before, now)

/** Whether what ran in a pod is no more, and with it a fault that lived in its processes. */
export const wasRestarted = (before: Pod, now: Pod | null): boolean =>
  now !== null && !isAnother(before, now) && restartsOf(now) > restartsOf(before)

const isAnother = (before: Pod, now: Pod): boolean => now.metadata.uid !== before.metadata.uid

const restartsOf = (pod: Pod): number =>
  (pod.status?.containerStatuses ?? []).reduce((sum, status) => sum + status.restartCount, 0)
