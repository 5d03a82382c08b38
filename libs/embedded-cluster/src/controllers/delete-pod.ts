import { type Cluster } from './cluster.js'
import { type Pod } from './objects.js'

/** Deletes a pod as the API server does: at once when no kubelet has it, else with a grace period. */
export function deletePod({ store }: Cluster, pod: Pod, graceSeconds?: number): void {
  const grace = graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30
  const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  const bound = pod.spec.nodeName !== undefined && !ended
  store.remove('pods', pod.metadata.namespace ?? '', pod.metadata.name, { graceSeconds: bound ? grace : 0 })
}
