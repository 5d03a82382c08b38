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
  queue.occupy(key, pods.length)
  const missing = set.metadata.deletionTimestamp === undefined ? (set.spec.replicas ?? 1) - pods.length : 0
  const complete = missing > 0 ? createPods(cluster, set, missing) : true
  if (missing < 0) deletePods(cluster, set, pods, -missing)
  writeStatus(cluster, queue, set, pods)
  return complete ? undefined : 'retry'
}

/** The set's own pods; orphans that its selector matches are adopted on the way. */
function claim({ store }: Cluster, set: ReplicaSet): Pod[] {
  const { namespace = '', uid, deletionTimestamp } = set.metadata
  const matches = (pod: Pod) => matchesSelector(set.spec.selector, pod.metadata.labels)
  const own = store.listOwned<Pod>('pods', namespace, uid).filter(matches)
  if (deletionTimestamp !== undefined) return own
  const orphans = store.listOwned<Pod>('pods', namespace, null).filter((pod) => matches(pod) && isActive(pod))
  const adopted = orphans.map((pod) => {
    const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownerReference(set)]
    return store.update<Pod>('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences } })
  })
  return [...own, ...adopted]
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
  const counts = count(set, pods, kernel.now)
  const status = { ...withoutZeroes(counts), replicas: pods.length, observedGeneration: set.metadata.generation ?? 1 }
  store.update('replicasets.apps', { ...current, status })
  if (counts.availableReplicas < counts.readyReplicas) {
    queue.addAfter(keyOf(set), (set.spec.minReadySeconds ?? 0) * 1000)
  }
}

/** In one pass: sets may be large. */
function count({ spec }: ReplicaSet, pods: readonly Pod[], nowMs: number) {
  const template = { matchLabels: spec.template.metadata?.labels ?? {} }
  const counts = { replicas: pods.length, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 }
  for (const pod of pods) {
    if (matchesSelector(template, pod.metadata.labels)) counts.fullyLabeledReplicas += 1
    if (!isReady(pod)) continue
    counts.readyReplicas += 1
    if (isAvailable(pod, spec.minReadySeconds ?? 0, nowMs)) counts.availableReplicas += 1
  }
  return counts
}
