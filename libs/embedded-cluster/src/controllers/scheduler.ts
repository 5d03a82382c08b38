import { timestamp } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { ended, type NodeLoad, NodeLoads, requestsOf } from './node-load.js'
import { scoreNodes } from './node-score.js'
import { keyOf, type Pod, splitKey } from './objects.js'
import { WorkQueue } from './queue.js'
import { domainCounts } from './topology.js'

const SOURCE = { component: 'default-scheduler' }
/** Unschedulable pods are tried again when something changes, and at the latest after this. */
const RETRY_MS = 300_000

/** Binds pods to nodes: those that fit by requests, node selector and hard spread, the best by score. */
export function startScheduler(cluster: Cluster): void {
  const { store, kernel } = cluster
  const loads = new NodeLoads(store)
  const waiting = new Set<string>()
  const queue = new WorkQueue(kernel, 'scheduler', (key) => {
    waiting.delete(key)
    if (!schedule(cluster, loads.all, key)) return
    waiting.add(key)
    queue.addAfter(key, RETRY_MS)
  })
  const retry = () => {
    for (const key of waiting) queue.add(key)
  }
  store.subscribe('nodes', retry)
  store.subscribe('pods', ({ type, object, old }) => {
    const pod = object as Pod
    if (type === 'DELETED' || ended(pod)) {
      if (pod.spec.nodeName !== undefined && !(old && type !== 'DELETED' && ended(old as Pod))) retry()
    } else if (type === 'ADDED' && pod.spec.nodeName === undefined) queue.add(keyOf(pod))
  })
}

/** True when no node will do for now. */
function schedule({ store, kernel, events }: Cluster, loads: readonly NodeLoad[], key: string): boolean {
  const pod = store.get<Pod>('pods', ...splitKey(key))
  if (!pod || pod.spec.nodeName !== undefined || pod.metadata.deletionTimestamp !== undefined) return false
  const refusals = new Map<string, number>()
  const fitting = loads.filter((load) => {
    const reasons = refusalsOf(pod, load, loads)
    for (const reason of reasons) refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
    return reasons.length === 0
  })
  const now = timestamp(kernel.now)
  if (fitting.length === 0) {
    const message = unschedulable(loads.length, refusals)
    events.record(pod, SOURCE, { type: 'Warning', reason: 'FailedScheduling', message })
    store.update('pods', withCondition(pod, { status: 'False', reason: 'Unschedulable', message }, now))
    return true
  }
  const node = kernel.stream('scheduler').pick(scoreNodes(pod, fitting, loads))
  const bound = withCondition({ ...pod, spec: { ...pod.spec, nodeName: node } }, { status: 'True' }, now)
  store.update('pods', bound)
  const message = `Successfully assigned ${pod.metadata.namespace ?? ''}/${pod.metadata.name} to ${node}`
  events.record(pod, SOURCE, { type: 'Normal', reason: 'Scheduled', message })
  return false
}

function refusalsOf(pod: Pod, load: NodeLoad, all: readonly NodeLoad[]): string[] {
  const { node, allocatable, used, pods } = load
  if (node.spec.unschedulable) return ['node(s) were unschedulable']
  const labels = node.metadata.labels ?? {}
  const selector = Object.entries(pod.spec.nodeSelector ?? {})
  if (selector.some(([key, value]) => labels[key] !== value)) {
    return ["node(s) didn't match Pod's node affinity/selector"]
  }
  const reasons = Object.entries(requestsOf(pod)).flatMap(([name, amount]) =>
    amount > 0 && (used[name] ?? 0) + amount > (allocatable[name] ?? 0) + 1e-9 ? [`Insufficient ${name}`] : [],
  )
  if (pods.size + 1 > (allocatable.pods ?? Infinity)) reasons.push('Too many pods')
  if (reasons.length === 0 && breaksHardSpread(pod, load, all)) {
    return ["node(s) didn't match pod topology spread constraints"]
  }
  return reasons
}

function breaksHardSpread(pod: Pod, load: NodeLoad, all: readonly NodeLoad[]): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).some((constraint) => {
    if (constraint.whenUnsatisfiable !== 'DoNotSchedule') return false
    const counts = domainCounts(pod, constraint, all)
    const domain = load.node.metadata.labels?.[constraint.topologyKey]
    if (domain === undefined) return true
    return (counts.get(domain) ?? 0) + 1 - Math.min(...counts.values()) > constraint.maxSkew
  })
}

/** "0/3 nodes are available: 3 Insufficient cpu. …", as the scheduler of Kubernetes 1.34 says it. */
function unschedulable(nodes: number, refusals: ReadonlyMap<string, number>): string {
  const reasons = [...refusals].map(([reason, count]) => `${count} ${reason}`).sort()
  const resources = [...refusals.keys()].every((reason) => /^(Insufficient|Too many pods)/.test(reason))
  const preemption = resources
    ? `${nodes} No preemption victims found for incoming pod`
    : `${nodes} Preemption is not helpful for scheduling`
  const head = `0/${nodes} nodes are available: ${reasons.join(', ')}.`
  return `${head} no new claims to deallocate, preemption: 0/${nodes} nodes are available: ${preemption}.`
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
