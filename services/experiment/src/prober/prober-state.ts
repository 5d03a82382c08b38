import { type ContainerStatus, type Pod } from '@ordeal/kubernetes'

/** What is known of a prober's pod, in words: those of the scheduler and the kubelet, where they have any. */
export function stateOf(pod: Pod | null): string {
  if (!pod) return 'its pod is gone'
  const reasons = [reasonOf(pod.status?.containerStatuses?.[0]), pod.status?.message, unscheduled(pod)]
  const why = reasons.find((reason) => reason !== undefined)
  return `its pod is ${pod.status?.phase ?? 'not started'}${why ? ` (${why})` : ''}`
}

function reasonOf(status: ContainerStatus | undefined): string | undefined {
  const state = status?.state?.waiting ?? status?.state?.terminated
  return state?.message ?? state?.reason
}

const unscheduled = (pod: Pod): string | undefined =>
  pod.status?.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False')?.message

/** What to look at when something runs in the prober's place and does not measure. */
export const isItsImage = (image: string): string =>
  `See that ${image} is the prober's image (npm run prober:image makes it, --prober-image names another)`

/** What a user can do about a prober that does not start or does not go on. */
export function remedyFor(pod: Pod | null, name: string): string {
  if (!pod) return 'See who removes pods of its namespace'
  if (pod.status?.phase === 'Succeeded') return isItsImage(containerOf(pod).image)
  if (unscheduled(pod) !== undefined) {
    return `No node has room for it (it asks for ${requestsOf(pod)}): free some, or give the cluster another node`
  }
  return isWithoutImage(pod)
    ? `Bring its image ${containerOf(pod).image} to the nodes, or name another with --prober-image`
    : `Look at pod ${pod.metadata.namespace}/${name} and its node`
}

const isWithoutImage = ({ status }: Pod): boolean =>
  status?.containerStatuses?.[0]?.state?.waiting?.reason?.includes('Image') === true

const containerOf = ({ spec: { containers } }: Pod) => ({ image: 'unknown', ...containers[0] })

const requestsOf = (pod: Pod): string => {
  const requests = Object.entries(containerOf(pod).resources?.requests ?? {})
  return requests.map(([resource, amount]) => `${amount} of ${resource}`).join(', ') || 'nothing in particular'
}
