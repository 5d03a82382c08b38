import { isReadyPod, type ClusterObject, type Controller, type Pod } from '@ordeal/kubernetes'

/** What keeps an object from being ready, in words; null when it is ready or has no notion of it. */
export function unreadiness(object: ClusterObject): string | null {
  const judge = RULES[object.kind]
  return judge ? judge(object) : null
}

const RULES: Record<string, (object: ClusterObject) => string | null> = {
  Pod: (object) => {
    const pod = object as Pod
    return isReadyPod(pod) || pod.status?.phase === 'Succeeded' ? null : 'its pod is not ready'
  },
  Deployment: replicated,
  ReplicaSet: replicated,
  StatefulSet: replicated,
  DaemonSet: (object) => {
    const { status } = object as Controller
    if (isBehind(object)) return 'its controller has not seen it yet'
    const [ready, wanted] = [status?.numberReady ?? 0, status?.desiredNumberScheduled ?? 0]
    return wanted > 0 && ready >= wanted ? null : `${ready} of ${wanted} pods are ready`
  },
}

const isBehind = (object: ClusterObject): boolean =>
  ((object as Controller).status?.observedGeneration ?? 0) < (object.metadata.generation ?? 0)

function replicated(object: ClusterObject): string | null {
  if (isBehind(object)) return 'its controller has not seen it yet'
  const { wanted, there, updated, ready } = countsOf(object as Controller)
  if (updated < wanted) return `${updated} of ${wanted} pods are of its newest form`
  if (there > wanted) return 'old pods are still there'
  return ready >= wanted ? null : `${ready} of ${wanted} pods are ready`
}

function countsOf({ kind, spec, status = {} }: Controller): Record<'wanted' | 'there' | 'updated' | 'ready', number> {
  const { replicas: there = 0, updatedReplicas = 0, readyReplicas: ready = 0 } = status
  // A ReplicaSet has one form only.
  return { wanted: spec.replicas ?? 1, there, updated: kind === 'ReplicaSet' ? there : updatedReplicas, ready }
}
