import { matchesSelector } from '../schema/selectors.js'
import { type Cluster } from '../controllers/cluster.js'
import { deletePod } from '../controllers/delete-pod.js'
import { type Pod, type PodDisruptionBudget } from '../controllers/objects.js'
import { timestamp } from '../store/object.js'
import { refusalOf } from './filters.js'
import { type NodeLoad, without } from './node-load.js'
import { type Refusal, Scene } from './scene.js'

const SOURCE = { component: 'default-scheduler' }

export interface Preemption {
  /** What the scheduler says of it when no node is gained; null when one is. */
  readonly message: string | null
  /** The node that is being cleared for the pod. */
  readonly nominated: string | null
}

interface Candidate {
  readonly load: NodeLoad
  readonly victims: readonly Pod[]
  /** How many of them a disruption budget would keep. */
  readonly violations: number
}

/** Makes room for a pod by deleting less important ones, on the node where that costs least. */
export function preempt(cluster: Cluster, scene: Scene, refusals: readonly Refusal[]): Preemption {
  const { pod, loads } = scene
  if (pod.spec.preemptionPolicy === 'Never') {
    return { message: `${NOTHING}not eligible due to preemptionPolicy=Never.`, nominated: null }
  }
  if (isCleared(scene))
    return {
      message: `${NOTHING}not eligible due to a terminating pod on the nominated node.`,
      nominated: pod.status?.nominatedNodeName ?? null,
    }
  const open = loads.filter((_, index) => refusals[index]?.resolvable)
  const candidates = open.flatMap((load) => candidateOn(scene, load) ?? [])
  const best = [...candidates].sort(byCost)[0]
  if (!best) return { message: unhelpful(loads.length, open.length), nominated: null }
  for (const victim of best.victims) evict(cluster, scene, best.load, victim)
  return { message: null, nominated: best.load.node.metadata.name }
}

const NOTHING = 'no new claims to deallocate, preemption: '

function unhelpful(nodes: number, open: number): string {
  const reasons = [
    ...(open > 0 ? [`${open} No preemption victims found for incoming pod`] : []),
    ...(nodes > open ? [`${nodes - open} Preemption is not helpful for scheduling`] : []),
  ]
  return `${NOTHING}0/${nodes} nodes are available: ${reasons.sort().join(', ')}.`
}

/** Pods of its nominated node are on their way out already. */
function isCleared({ pod, loads }: Scene): boolean {
  const name = pod.status?.nominatedNodeName
  const load = loads.find(({ node }) => node.metadata.name === name)
  return [...(load?.pods.values() ?? [])].some(
    (other) => other.metadata.deletionTimestamp !== undefined && priorityOf(other) < priorityOf(pod),
  )
}

function candidateOn(scene: Scene, load: NodeLoad): Candidate | null {
  const lesser = [...load.pods.values()].filter((other) => priorityOf(other) < priorityOf(scene.pod))
  const gone = new Set(lesser.map(({ metadata }) => metadata.uid))
  if (lesser.length === 0 || !fitsWithout(scene, load, gone)) return null
  const kept = scene.once('budgets', () => scene.store.list<PodDisruptionBudget>('poddisruptionbudgets.policy'))
  const violating = lesser.filter((other) => kept.some((budget) => forbids(budget, other)))
  const order = [...violating, ...lesser.filter((other) => !violating.includes(other))].sort(
    (a, b) => Number(violating.includes(b)) - Number(violating.includes(a)) || byImportance(a, b),
  )
  // The most important are let off first, as long as the pod still fits.
  for (const { metadata } of order) {
    gone.delete(metadata.uid)
    if (!fitsWithout(scene, load, gone)) gone.add(metadata.uid)
  }
  const victims = lesser.filter(({ metadata }) => gone.has(metadata.uid))
  return { load, victims, violations: victims.filter((victim) => violating.includes(victim)).length }
}

function fitsWithout({ store, pod, nodes }: Scene, load: NodeLoad, gone: ReadonlySet<string>): boolean {
  const cleared = without(load, gone)
  const loads = nodes.loads.map((one) => (one === load ? cleared : one))
  const leaving = [...load.pods.values()].filter(({ metadata }) => gone.has(metadata.uid))
  return refusalOf(new Scene(store, pod, { ...nodes, loads, gone: leaving }), cleared) === null
}

function forbids({ metadata, spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  const { disruptionsAllowed = 0 } = (status ?? {}) as { disruptionsAllowed?: number }
  const covers = metadata.namespace === pod.metadata.namespace && matchesSelector(spec.selector, pod.metadata.labels)
  return covers && disruptionsAllowed <= 0
}

const priorityOf = ({ spec }: Pod): number => spec.priority ?? 0

function byImportance(a: Pod, b: Pod): number {
  const started = ({ metadata, status }: Pod) => Date.parse(status?.startTime ?? metadata.creationTimestamp)
  return priorityOf(b) - priorityOf(a) || started(a) - started(b)
}

/** Fewest broken budgets, then the least important victims, then fewest. */
function byCost(a: Candidate, b: Candidate): number {
  const highest = ({ victims }: Candidate) => Math.max(...victims.map(priorityOf))
  const sum = ({ victims }: Candidate) => victims.reduce((total, victim) => total + priorityOf(victim), 0)
  return (
    a.violations - b.violations || highest(a) - highest(b) || sum(a) - sum(b) || a.victims.length - b.victims.length
  )
}

function evict(cluster: Cluster, { pod }: Scene, { node }: NodeLoad, victim: Pod): void {
  const { store, kernel, events } = cluster
  const condition = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
    lastProbeTime: null,
    lastTransitionTime: timestamp(kernel.now),
  }
  const conditions = [...(victim.status?.conditions ?? []), condition]
  const status = { phase: 'Pending' as const, ...victim.status, conditions }
  deletePod(cluster, store.update<Pod>('pods', { ...victim, status }))
  const message = `Preempted by pod ${pod.metadata.uid} on node ${node.metadata.name}`
  events.record(victim, SOURCE, { type: 'Normal', reason: 'Preempted', message })
}
