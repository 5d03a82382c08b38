import { isWanted } from '../scheduler/node-affinity.js'
import { hasUntolerated } from '../scheduler/taints.js'
import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { createPodTelling } from './create-pod.js'
import { daemonPod } from './daemon-pod.js'
import { deletePod } from './delete-pod.js'
import { scaled } from './intstr.js'
import { type DaemonSet, isAvailable, isReady, keyOf, type Node, type Pod, splitKey } from './objects.js'
import { controllerOf } from './owners.js'
import { type Reconciler, WorkQueue } from './queue.js'
import { currentRevision, forgetRevisions, hashOf, REVISION_HASH, revisionsOf } from './revisions.js'

const SOURCE = { component: 'daemonset-controller' }

/** Keeps one pod of each DaemonSet on every node that its pods may run on. */
export class DaemonSetController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'daemonset', this)
    store.subscribe('daemonsets.apps', this.queue, 'addChanged')
    store.subscribe('pods', this, 'podChanged')
    store.subscribe('nodes', this, 'nodeChanged')
  }

  reconcile(key: string): 'retry' | void {
    return reconcile(this.cluster, this.queue, key)
  }

  podChanged({ object }: Change): void {
    const owner = controllerOf(object)
    if (owner?.kind === 'DaemonSet') this.queue.add(`${object.metadata.namespace ?? ''}/${owner.name}`)
  }

  nodeChanged(): void {
    for (const set of this.cluster.store.list('daemonsets.apps')) this.queue.add(keyOf(set))
  }
}

interface Round {
  readonly cluster: Cluster
  readonly set: DaemonSet
  readonly hash: string
  /** Nodes that are to have a pod. */
  readonly nodes: readonly Node[]
  /** The set's pods by the node for which they were made. */
  readonly byNode: ReadonlyMap<string, readonly Pod[]>
}

function reconcile(cluster: Cluster, queue: WorkQueue, key: string): 'retry' | void {
  const set = cluster.store.get<DaemonSet>('daemonsets.apps', ...splitKey(key))
  if (!set) return
  const revision = currentRevision(cluster, set, revisionsOf(cluster, set))
  const round = look(cluster, set, hashOf(revision))
  const complete = set.metadata.deletionTimestamp === undefined ? provide(round) : true
  if (set.metadata.deletionTimestamp === undefined) roll(round)
  const { numberReady = 0, numberAvailable = 0 } = writeStatus(look(cluster, set, hashOf(revision)))
  forgetRevisions(cluster, set, new Set([revision.metadata.name]))
  if (numberAvailable < numberReady) queue.addAfter(key, (set.spec.minReadySeconds ?? 0) * 1000)
  return complete ? undefined : 'retry'
}

function look(cluster: Cluster, set: DaemonSet, hash: string): Round {
  const { store } = cluster
  const pods = store.listOwned<Pod>('pods', set.metadata.namespace ?? '', set.metadata.uid)
  const nodes = store.list<Node>('nodes').filter((node) => isFor(set, node))
  return { cluster, set, hash, nodes, byNode: Map.groupBy(pods, nodeOf) }
}

/** Whether a pod of the set may run on the node, however full it is. */
function isFor(set: DaemonSet, node: Node): boolean {
  const { spec } = daemonPod(set, '', node.metadata.name)
  const pod = { spec } as Pod
  return isWanted(pod, node) && !hasUntolerated(pod, node)
}

/** The node that the pod is on, or is meant for. */
function nodeOf({ spec }: Pod): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return (
    spec.nodeName ?? terms.flatMap(({ matchFields = [] }) => matchFields.flatMap(({ values = [] }) => values))[0] ?? ''
  )
}

/** Makes pods where they are missing and ends those that are too many; false when one was refused. */
function provide({ cluster, set, hash, nodes, byNode }: Round): boolean {
  const wanted = new Set(nodes.map(({ metadata }) => metadata.name))
  for (const [node, pods] of byNode) {
    const [, ...doubles] = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined)
    const surplus = wanted.has(node) ? doubles : pods
    for (const pod of surplus) end(cluster, set, pod)
    for (const pod of pods) if (pod.status?.phase === 'Failed') replaceFailed(cluster, set, pod, node)
  }
  const missing = [...wanted].filter((node) => !byNode.get(node)?.length)
  return missing.every((node) => createPodTelling(cluster, SOURCE, daemonPod(set, hash, node)) !== null)
}

function replaceFailed(cluster: Cluster, set: DaemonSet, pod: Pod, node: string): void {
  const { namespace = '', name } = pod.metadata
  const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`
  cluster.events.record(set, SOURCE, { type: 'Warning', reason: 'FailedDaemonPod', message })
  end(cluster, set, pod)
}

function end(cluster: Cluster, set: DaemonSet, pod: Pod): void {
  if (pod.metadata.deletionTimestamp !== undefined) return
  deletePod(cluster, pod)
  const message = `Deleted pod: ${pod.metadata.name}`
  cluster.events.record(set, SOURCE, { type: 'Normal', reason: 'SuccessfulDelete', message })
}

/** Replaces pods of older templates, as many at once as may be unavailable. */
function roll({ cluster, set, hash, nodes, byNode }: Round): void {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return
  const pods = nodes.map(({ metadata }) => byNode.get(metadata.name)?.[0])
  const unavailable = pods.filter((pod) => !pod || !isUsable(cluster, set, pod)).length
  const old = pods.filter((pod): pod is Pod => pod !== undefined && pod.metadata.labels?.[REVISION_HASH] !== hash)
  const most = scaled(rollingUpdate?.maxUnavailable ?? 1, nodes.length, 'up')
  const broken = old.filter((pod) => !isUsable(cluster, set, pod))
  const working = old.filter((pod) => isUsable(cluster, set, pod))
  for (const pod of [...broken, ...working.slice(0, Math.max(0, most - unavailable))]) end(cluster, set, pod)
}

function isUsable({ kernel }: Cluster, { spec }: DaemonSet, pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && isAvailable(pod, spec.minReadySeconds ?? 0, kernel.now)
}

function writeStatus({ cluster, set, hash, nodes, byNode }: Round): { numberReady?: number; numberAvailable?: number } {
  const { kernel, store } = cluster
  const wanted = new Set(nodes.map(({ metadata }) => metadata.name))
  const placed = nodes.flatMap(({ metadata }) => byNode.get(metadata.name)?.[0] ?? [])
  const count = (test: (pod: Pod) => boolean) => placed.filter(test).length
  const numberReady = count(isReady)
  const numberAvailable = count((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, kernel.now))
  const updated = count(({ metadata }) => metadata.labels?.[REVISION_HASH] === hash)
  const numberUnavailable = nodes.length - numberAvailable
  const status = {
    currentNumberScheduled: placed.length,
    numberMisscheduled: [...byNode.keys()].filter((node) => !wanted.has(node)).length,
    desiredNumberScheduled: nodes.length,
    numberReady,
    observedGeneration: set.metadata.generation ?? 1,
    ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
    ...(numberAvailable > 0 ? { numberAvailable } : {}),
    ...(numberUnavailable > 0 ? { numberUnavailable } : {}),
  }
  store.update('daemonsets.apps', { ...set, status })
  return { numberReady, numberAvailable }
}
