import { tolerates } from '../scheduler/taints.js'
import { type Change, timestamp } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { deletePod } from './delete-pod.js'
import { keyOf, type Node, type Pod, splitKey, type Taint, type Toleration } from './objects.js'
import { type Reconciler, WorkQueue } from './queue.js'

const SOURCE = { component: 'taint-eviction-controller' }

/** Deletes pods from nodes whose `NoExecute` taints they do not tolerate, or no longer tolerate. */
export class TaintEviction implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'taint-eviction', this)
    store.subscribe('nodes', this, 'nodeChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): void {
    reconcile(this.cluster, this.queue, key)
  }

  nodeChanged({ object, type }: Change): void {
    if (type === 'DELETED' || driving(object as Node).length === 0) return
    for (const pod of this.cluster.store.list<Pod>('pods')) {
      if (pod.spec.nodeName === object.metadata.name) this.queue.add(keyOf(pod))
    }
  }

  podChanged({ object, old }: Change): void {
    const { nodeName } = (object as Pod).spec
    if (nodeName === undefined || (old as Pod | null)?.spec.nodeName !== undefined) return
    const node = this.cluster.store.get<Node>('nodes', null, nodeName)
    if (node && driving(node).length > 0) this.queue.add(keyOf(object))
  }
}

const driving = ({ spec }: Node): Taint[] => (spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

function reconcile(cluster: Cluster, queue: WorkQueue, key: string): void {
  const { store, kernel, events } = cluster
  const pod = store.get<Pod>('pods', ...splitKey(key))
  const node = pod?.spec.nodeName === undefined ? undefined : store.get<Node>('nodes', null, pod.spec.nodeName)
  if (!pod || !node || pod.metadata.deletionTimestamp !== undefined) return
  const leftMs = Math.min(...driving(node).map((taint) => toleratedMs(pod, taint, kernel.now)))
  if (leftMs > 0) {
    if (Number.isFinite(leftMs)) queue.addAfter(key, leftMs)
    return
  }
  const tell = (message: string): void =>
    events.record(pod, SOURCE, { type: 'Normal', reason: 'TaintManagerEviction', message })
  tell(`Marking for deletion Pod ${key}`)
  deletePod(cluster, store.update<Pod>('pods', marked(pod, kernel.now)))
  // Upstream takes the timer of a pod that was given time off its list once the pod goes, and tells that like this.
  if (driving(node).every((taint) => fittingTolerations(pod, taint).length > 0))
    tell(`Cancelling deletion of Pod ${key}`)
}

const fittingTolerations = ({ spec }: Pod, taint: Taint): Toleration[] =>
  (spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint))

/** How much longer the pod may stay: for ever, for what is left of its seconds, or not at all. */
function toleratedMs(pod: Pod, taint: Taint, nowMs: number): number {
  const fitting = fittingTolerations(pod, taint)
  if (fitting.length === 0) return 0
  const seconds = Math.min(...fitting.map(({ tolerationSeconds = Infinity }) => tolerationSeconds))
  const since = Date.parse(taint.timeAdded ?? pod.metadata.creationTimestamp)
  return since + seconds * 1000 - nowMs
}

function marked(pod: Pod, nowMs: number): Pod {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastProbeTime: null,
    lastTransitionTime: timestamp(nowMs),
  }
  const conditions = [...(pod.status?.conditions ?? []), condition]
  return { ...pod, status: { phase: 'Pending', ...pod.status, conditions } }
}
