import { isReadyPod, type Pod } from '@ordeal/kubernetes'
import { type SampleLine } from '@ordeal/prober'
import { quantile } from '../measure/judge-samples.js'

/** What shows at a pod that a PodChaos fault hit it, in words; null when nothing does. `now` null: the pod is gone. */
export function podEffect(before: Pod, now: Pod | null): string | null {
  const { name } = before.metadata
  if (!now || now.metadata.uid !== before.metadata.uid) return `${name} is gone`
  if (now.metadata.deletionTimestamp) return `${name} is being ended`
  const restarted = restartsOf(now) - restartsOf(before)
  if (restarted > 0) return `${name} restarted ${restarted} ${restarted === 1 ? 'time' : 'times'}`
  return isReadyPod(before) && !isReadyPod(now) ? `${name} is not ready any more` : null
}

const restartsOf = (pod: Pod): number =>
  (pod.status?.containerStatuses ?? []).reduce((sum, status) => sum + status.restartCount, 0)

/** An effect on the network must stand out from what varies anyway. */
const LATENCY_FACTOR = 1.5
const LATENCY_MS = 2
const LOSS_SHARE = 0.05

/** What the prober's own requests to a pod show of a NetworkChaos fault: answers missing or later; null when neither. */
export function networkEffect(
  pod: string,
  before: readonly SampleLine[],
  during: readonly SampleLine[],
): string | null {
  if (before.length === 0 || during.length === 0) return null
  const lost = lostShare(during)
  if (lost - lostShare(before) > LOSS_SHARE)
    return `${pod} leaves ${Math.round(lost * 100)} % of requests without an answer`
  const [was, is] = [latencyOf(before), latencyOf(during)]
  if (is <= was * LATENCY_FACTOR + LATENCY_MS) return null
  return `${pod} answers after ${Math.round(is)} ms instead of ${Math.round(was)} ms`
}

/** Any answer will do, whatever its status: it is the network that is looked at. */
const lostShare = (samples: readonly SampleLine[]): number =>
  samples.filter((s) => s.latencyMs === null).length / samples.length

const latencyOf = (samples: readonly SampleLine[]): number =>
  quantile(
    samples.flatMap((s) => s.latencyMs ?? []).toSorted((a, b) => a - b),
    0.5,
  )
