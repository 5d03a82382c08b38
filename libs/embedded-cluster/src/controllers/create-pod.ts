import { admitted } from '../admission/admit.js'
import { withDefaults } from '../schema/defaults.js'
import { ApiError } from '../store/api-error.js'
import { type ObjectMeta, type StoredObject } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { type EventSource } from './events.js'
import { type Pod, type PodSpec } from './objects.js'
import { ownerReference } from './owners.js'

export interface NewPod {
  readonly owner: StoredObject
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
}

/** Creates a pod for a controller as the API server would take it. Throws ApiError where it would not. */
export function createPod({ store }: Cluster, { owner, metadata, spec }: NewPod): Pod {
  const { namespace } = owner.metadata
  const placed = { ...metadata, namespace, ownerReferences: [ownerReference(owner)] }
  const pod = withDefaults({ apiVersion: 'v1', kind: 'Pod', metadata: placed, spec })
  return store.create<Pod>('pods', admitted(store, 'pods', pod))
}

/** The same, with the events that controllers write about it. Null when the API server would not take the pod. */
export function createPodTelling(cluster: Cluster, source: EventSource, pod: NewPod): Pod | null {
  return tryCreatePod(cluster, source, pod).pod
}

interface Attempt {
  readonly pod: Pod | null
  readonly refusal: string | null
}

/** The same; tells what the API server said when it would not take the pod. */
export function tryCreatePod(cluster: Cluster, source: EventSource, pod: NewPod): Attempt {
  // A namespace that is going takes nothing new, and controllers do not complain of that.
  const namespace = cluster.store.get('namespaces', null, pod.owner.metadata.namespace ?? '')
  if (namespace?.metadata.deletionTimestamp !== undefined) return { pod: null, refusal: null }
  try {
    const created = createPod(cluster, pod)
    const message = `Created pod: ${created.metadata.name}`
    cluster.events.record(pod.owner, source, { type: 'Normal', reason: 'SuccessfulCreate', message })
    return { pod: created, refusal: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = `Error creating: ${error.message}`
    cluster.events.record(pod.owner, source, { type: 'Warning', reason: 'FailedCreate', message })
    return { pod: null, refusal: error.message }
  }
}
