import { type Change, timestamp } from '../store/object.js'
import { type Cluster } from '../controllers/cluster.js'
import { keyOf, type Node, type Pod, splitKey } from '../controllers/objects.js'
import { type Reconciler, WorkQueue } from '../controllers/queue.js'
import { pinVolumes } from '../storage/pin-volumes.js'
import { refusalOf } from './filters.js'
import { ended, type NodeLoad, NodeLoads, withPromised } from './node-load.js'
import { scoreNodes } from './node-score.js'
import { preempt } from './preemption.js'
import { never, type Nodes, type Refusal, Scene } from './scene.js'
import { volumeProblem } from './volumes.js'

const SOURCE = { component: 'default-scheduler' }
/** Unschedulable pods are tried again when something changes, and at the latest after this. */
const RETRY_MS = 300_000

/** Binds pods to nodes: those that fit by every filter, the best by score. */
export class Scheduler implements Reconciler {
  private readonly loads: NodeLoads
  private readonly waiting = new Set<string>()
  /** Pods that wait for a place which others were driven from. */
  private readonly promised = new Set<string>()
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.loads = new NodeLoads(store)
    this.queue = new WorkQueue(kernel, 'scheduler', this)
    store.subscribe('nodes', this, 'retry')
    store.subscribe('persistentvolumeclaims', this, 'retry')
    store.subscribe('persistentvolumes', this, 'retry')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): void {
    // Already now: what it drives away may be gone before the attempt is over.
    this.waiting.add(key)
    const outcome = schedule(this.cluster, { ...this.nodes, loads: this.loadsFor(key) }, key)
    if (outcome === 'waits') this.queue.addAfter(key, RETRY_MS)
    else this.waiting.delete(key)
  }

  private get nodes() {
    return { groups: this.loads.groups, gone: [] }
  }

  /** What the nodes bear, for a pod: also those that matter as much, and for which others were driven away. */
  private loadsFor(key: string): readonly NodeLoad[] {
    const { store } = this.cluster
    const own = store.get<Pod>('pods', ...splitKey(key))
    const promised = [...this.promised].flatMap((other) => {
      const pod = other === key ? undefined : store.get<Pod>('pods', ...splitKey(other))
      return pod && (pod.spec.priority ?? 0) >= (own?.spec.priority ?? 0) ? [pod] : []
    })
    if (promised.length === 0) return this.loads.all
    const on = ({ node }: NodeLoad) => promised.filter(({ status }) => status?.nominatedNodeName === node.metadata.name)
    return this.loads.all.map((load) => (on(load).length > 0 ? withPromised(load, on(load)) : load))
  }

  /** Something changed: what found no node may find one now. */
  retry(): void {
    for (const key of this.waiting) this.queue.add(key)
  }

  podChanged({ type, object, old }: Change): void {
    const pod = object as Pod
    const bound = pod.spec.nodeName !== undefined
    if (pod.status?.nominatedNodeName && !bound && type !== 'DELETED') this.promised.add(keyOf(pod))
    else this.promised.delete(keyOf(pod))
    if (type === 'ADDED' && !bound) this.queue.add(keyOf(pod))
    else if (bound && (makesRoom(type, pod, old as Pod | null) || isBinding(old as Pod | null))) this.retry()
  }
}

function makesRoom(type: string, pod: Pod, old: Pod | null): boolean {
  return type === 'DELETED' ? !(old && ended(old)) : ended(pod) && !(old && ended(old))
}

/** A pod that was just placed may be one that another wants to be with. */
const isBinding = (old: Pod | null): boolean => old !== null && old.spec.nodeName === undefined

function schedule(cluster: Cluster, nodes: Nodes, key: string): 'waits' | 'done' {
  const { store, kernel } = cluster
  const pod = store.get<Pod>('pods', ...splitKey(key))
  if (!pod || pod.spec.nodeName !== undefined || pod.metadata.deletionTimestamp !== undefined) return 'done'
  const { loads } = nodes
  const scene = new Scene(store, pod, nodes)
  const problem = volumeProblem(scene)
  const refusals = loads.map((load) => (problem === null ? refusalOf(scene, load) : never(problem)))
  const fitting = loads.filter((_, index) => refusals[index] === null)
  if (fitting.length === 0) {
    fail(cluster, scene, { problem, refusals: refusals as Refusal[] })
    return 'waits'
  }
  const name = kernel.stream('scheduler').pick(scoreNodes(scene, fitting))
  const node = fitting.find((load) => load.node.metadata.name === name)?.node
  if (node) bind(cluster, pod, node)
  return 'done'
}

function bind({ store, kernel, events }: Cluster, pod: Pod, node: Node): void {
  const { name } = node.metadata
  const bound = { ...pod, spec: { ...pod.spec, nodeName: name } }
  store.update('pods', withCondition(bound, { status: 'True' }, timestamp(kernel.now)))
  pinVolumes(store, pod, node)
  const message = `Successfully assigned ${pod.metadata.namespace ?? ''}/${pod.metadata.name} to ${name}`
  events.record(pod, SOURCE, { type: 'Normal', reason: 'Scheduled', message })
}

interface Failure {
  /** What keeps the pod from every node alike. */
  readonly problem: string | null
  /** One for each node. */
  readonly refusals: readonly Refusal[]
}

function fail(cluster: Cluster, scene: Scene, failure: Failure): void {
  const { store, kernel, events } = cluster
  const { pod, loads } = scene
  const preemption = preempt(cluster, scene, failure.refusals)
  // What keeps a pod from every node alike ends upstream's look for room with these words.
  const afterwards = failure.problem === null ? preemption.message : 'not found'
  const head = `0/${loads.length} nodes are available: ${reasonsOf(failure)}.`
  const message = afterwards === null ? head : `${head} ${afterwards}`
  events.record(pod, SOURCE, { type: 'Warning', reason: 'FailedScheduling', message })
  const { nominated } = preemption
  const status = { phase: 'Pending' as const, ...pod.status, ...(nominated ? { nominatedNodeName: nominated } : {}) }
  const condition = { status: 'False', reason: 'Unschedulable', message } as const
  store.update('pods', withCondition({ ...pod, status }, condition, timestamp(kernel.now)))
}

/** "3 Insufficient cpu, 1 Too many pods": sorted as text, as upstream does. */
function reasonsOf({ problem, refusals }: Failure): string {
  if (problem !== null) return problem
  const counts = new Map<string, number>()
  for (const reason of refusals.flatMap(({ reasons }) => reasons)) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}

function withCondition(
  pod: Pod,
  condition: { status: 'True' | 'False'; reason?: string; message?: string },
  now: string,
): Pod {
  const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now
  const written = {
    type: 'PodScheduled',
    ...condition,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    lastProbeTime: null,
    lastTransitionTime,
  }
  const others = pod.status?.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? []
  return { ...pod, status: { ...pod.status, phase: 'Pending', conditions: [...others, written] } }
}
