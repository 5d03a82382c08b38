import { matchesSelector } from '../schema/selectors.js'
import { type Change, timestamp } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { tryCreatePod } from './create-pod.js'
import { deletePod } from './delete-pod.js'
import {
  type Condition,
  conditionOf,
  isActive,
  isAvailable,
  isReady,
  keyOf,
  type Pod,
  type ReplicaSet,
  splitKey,
} from './objects.js'
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
  const { created, refusal } = createPods(cluster, set, Math.max(0, missing))
  if (missing < 0) deletePods(cluster, set, pods, -missing)
  writeStatus(cluster, queue, { set, pods: [...pods, ...created], refusal })
  return refusal === null ? undefined : 'retry'
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

/** The new pods, and what the API server said when it would not take one more: that is tried again later. */
function createPods(cluster: Cluster, set: ReplicaSet, count: number): { created: Pod[]; refusal: string | null } {
  const { metadata, spec } = set.spec.template
  const created: Pod[] = []
  while (created.length < count) {
    const wanted = { owner: set, metadata: { ...metadata, generateName: `${set.metadata.name}-` }, spec }
    const { pod, refusal } = tryCreatePod(cluster, SOURCE, wanted)
    if (!pod) return { created, refusal }
    created.push(pod)
  }
  return { created, refusal: null }
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

interface Reconciled {
  readonly set: ReplicaSet
  readonly pods: readonly Pod[]
  /** Why a pod could not be made. */
  readonly refusal: string | null
}

function writeStatus({ store, kernel }: Cluster, queue: WorkQueue, { set, pods, refusal }: Reconciled): void {
  const current = store.get<ReplicaSet>('replicasets.apps', set.metadata.namespace ?? '', set.metadata.name)
  if (!current) return
  const counts = count(set, pods, kernel.now)
  const conditions = failureConditions(current, refusal, kernel.now)
  const status = {
    ...withoutZeroes(counts),
    replicas: pods.length,
    observedGeneration: set.metadata.generation ?? 1,
    ...(conditions.length > 0 ? { conditions } : {}),
  }
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

/** The first refusal stands until all pods could be made. */
function failureConditions({ status }: ReplicaSet, refusal: string | null, nowMs: number): Condition[] {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure')
  const before = conditionOf(status?.conditions, 'ReplicaFailure')
  if (refusal === null) return others
  const now = timestamp(nowMs)
  const failure = { type: 'ReplicaFailure', status: 'True' as const, reason: 'FailedCreate', message: refusal }
  return [...others, before ?? { ...failure, lastTransitionTime: now }]
}
