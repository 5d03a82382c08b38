import { matchesSelector } from '../schema/selectors.js'
import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { createPodTelling } from './create-pod.js'
import { deletePod } from './delete-pod.js'
import { isActive, isAvailable, isReady, keyOf, type Pod, type ReplicaSet, splitKey } from './objects.js'
import { controllerOf, ownerReference } from './owners.js'
import { byDeletionOrder } from './pod-ranking.js'
import { type Reconciler, WorkQueue } from './queue.js'
import { withoutZeroes } from './without-zeroes.js'

const SOURCE = { component: 'replicaset-controller' }

/** Keeps as many pods of its template as each ReplicaSet asks for. */
export class ReplicaSetController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'replicaset', this)
    store.subscribe('replicasets.apps', this.queue, 'addChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): 'retry' | void {
    return reconcile(this.cluster, this.queue, key)
  }

  podChanged({ object, old }: Change): void {
    const owner = controllerOf(object) ?? (old ? controllerOf(old) : undefined)
    if (owner) {
      if (owner.kind === 'ReplicaSet') this.queue.add(`${object.metadata.namespace ?? ''}/${owner.name}`)
      return
    }
    // A pod that nobody owns may be adopted.
    for (const set of this.cluster.store.list<ReplicaSet>('replicasets.apps', object.metadata.namespace)) {
      if (matchesSelector(set.spec.selector, object.metadata.labels)) this.queue.add(keyOf(set))
    }
  }
}

function reconcile(cluster: Cluster, queue: WorkQueue, key: string): 'retry' | void {
  const set = cluster.store.get<ReplicaSet>('replicasets.apps', ...splitKey(key))
  if (!set) return
  const pods = claim(cluster, set).filter(isActive)
  const missing = set.metadata.deletionTimestamp === undefined ? (set.spec.replicas ?? 1) - pods.length : 0
  const complete = missing > 0 ? createPods(cluster, set, missing) : true
  if (missing < 0) deletePods(cluster, set, pods, -missing)
  writeStatus(cluster, queue, set, pods)
  return complete ? undefined : 'retry'
}

/** The set's own pods; orphans that its selector matches are adopted on the way. */
function claim({ store }: Cluster, set: ReplicaSet): Pod[] {
  return store.list<Pod>('pods', set.metadata.namespace).flatMap((pod) => {
    const owner = controllerOf(pod)
    if (owner !== undefined && owner.uid !== set.metadata.uid) return []
    if (!matchesSelector(set.spec.selector, pod.metadata.labels)) return []
    if (owner) return [pod]
    if (!isActive(pod) || set.metadata.deletionTimestamp !== undefined) return []
    const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownerReference(set)]
    return [store.update<Pod>('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences } })]
  })
}

/** False when the API server would not take a pod: it is tried again. */
function createPods(cluster: Cluster, set: ReplicaSet, count: number): boolean {
  const { metadata, spec } = set.spec.template
  for (let i = 0; i < count; i++) {
    const pod = { owner: set, metadata: { ...metadata, generateName: `${set.metadata.name}-` }, spec }
    if (!createPodTelling(cluster, SOURCE, pod)) return false
  }
  return true
}

function deletePods(cluster: Cluster, set: ReplicaSet, pods: readonly Pod[], count: number): void {
  for (const pod of [...pods].sort(byDeletionOrder(pods)).slice(0, count)) {
    deletePod(cluster, pod)
    cluster.events.record(set, SOURCE, {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.metadata.name}`,
    })
  }
}

function writeStatus({ store, kernel }: Cluster, queue: WorkQueue, set: ReplicaSet, pods: readonly Pod[]): void {
  const current = store.get<ReplicaSet>('replicasets.apps', set.metadata.namespace ?? '', set.metadata.name)
  if (!current) return
  const minReady = set.spec.minReadySeconds ?? 0
  const template = set.spec.template.metadata?.labels ?? {}
  const count = (test: (pod: Pod) => boolean) => pods.filter(test).length
  const ready = count(isReady)
  const available = count((pod) => isAvailable(pod, minReady, kernel.now))
  const counts = {
    replicas: pods.length,
    fullyLabeledReplicas: count((pod) => matchesSelector({ matchLabels: template }, pod.metadata.labels)),
    readyReplicas: ready,
    availableReplicas: available,
  }
  const status = { ...withoutZeroes(counts), replicas: pods.length, observedGeneration: set.metadata.generation ?? 1 }
  store.update('replicasets.apps', { ...current, status })
  if (available < ready) queue.addAfter(keyOf(set), minReady * 1000)
}
