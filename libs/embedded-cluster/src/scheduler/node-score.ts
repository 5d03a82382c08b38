import { type Pod, type TopologySpreadConstraint } from '../controllers/objects.js'
import { controllerOf } from '../controllers/owners.js'
import { type NodeLoad, requestsOf } from './node-load.js'
import { nodePreference } from './node-affinity.js'
import { podPreferences } from './pod-affinity.js'
import { type Scene } from './scene.js'
import { softTaints } from './taints.js'
import { domainCounts } from './topology.js'

/** Requests that the score assumes for a container that states none. */
const ASSUMED = { cpu: 0.1, memory: 200 * 1024 * 1024 }
/** Upstream's weights. */
const SPREAD_WEIGHT = 2
const POD_AFFINITY_WEIGHT = 2
const NODE_AFFINITY_WEIGHT = 2
const TAINT_WEIGHT = 3
/** The scheduler's own spreading of a workload's pods, for pods that state no constraint. */
const DEFAULT_CONSTRAINTS = [
  { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
  { maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
]

/**
 * Names of the best nodes for the pod: least allocated, balanced, soft spread, and what is preferred about nodes, taints
 * and other pods, as upstream weighs them.
 */
export function scoreNodes(scene: Scene, fitting: readonly NodeLoad[]): string[] {
  const { pod } = scene
  const spread = spreadScores(scene, fitting)
  const preferred = preferenceScores(scene, fitting)
  const scores = fitting.map(
    (load, index) => resourceScore(pod, load) + SPREAD_WEIGHT * (spread[index] ?? 0) + (preferred[index] ?? 0),
  )
  const best = Math.max(...scores)
  return fitting.filter((_, index) => (scores[index] ?? 0) >= best - 1e-9).map(({ node }) => node.metadata.name)
}

function preferenceScores(scene: Scene, fitting: readonly NodeLoad[]): number[] {
  const { pod } = scene
  const pods = betweenBounds(podPreferences(scene, fitting))
  const nodes = shareOfMost(fitting.map((load) => nodePreference(pod, load)))
  const taints = shareOfMost(fitting.map(({ node }) => softTaints(pod, node)))
  return fitting.map(
    (_, i) =>
      POD_AFFINITY_WEIGHT * (pods[i] ?? 0) +
      NODE_AFFINITY_WEIGHT * (nodes[i] ?? 0) +
      TAINT_WEIGHT * (100 - (taints[i] ?? 0)),
  )
}

/** 0 for the least, 100 for the most. */
function betweenBounds(raw: readonly number[]): number[] {
  const low = Math.min(...raw)
  const range = Math.max(...raw) - low
  return raw.map((value) => (range > 0 ? Math.floor((100 * (value - low)) / range) : 0))
}

function shareOfMost(raw: readonly number[]): number[] {
  const most = Math.max(...raw)
  return raw.map((value) => (most > 0 ? Math.floor((100 * value) / most) : 0))
}

/** LeastAllocated plus BalancedAllocation, 0–200. */
function resourceScore(pod: Pod, load: NodeLoad): number {
  const requests = requestsOf(pod)
  const shares = (['cpu', 'memory'] as const).map((name) => {
    const wanted = (load.used[name] ?? 0) + (requests[name] || ASSUMED[name])
    return Math.min(1, wanted / (load.allocatable[name] || Infinity))
  })
  const [cpu = 0, memory = 0] = shares
  const least = 100 * (1 - (cpu + memory) / 2)
  return Math.floor(least) + Math.floor(100 * (1 - Math.abs(cpu - memory) / 2))
}

/** PodTopologySpread, 0–100 for each fitting node: fewer pods of the same kind in its domains is better. */
function spreadScores(scene: Scene, fitting: readonly NodeLoad[]): number[] {
  const constraints = softConstraints(scene.pod)
  if (constraints.length === 0) return fitting.map(() => 0)
  const raw = fitting.map(() => 0)
  for (const constraint of constraints) {
    const counts = domainCounts(scene, constraint)
    const weight = Math.log(counts.size + 2)
    fitting.forEach(({ node }, index) => {
      const domain = node.metadata.labels?.[constraint.topologyKey] ?? ''
      raw[index] = (raw[index] ?? 0) + (counts.get(domain) ?? 0) * weight + (constraint.maxSkew - 1)
    })
  }
  const low = Math.min(...raw)
  const high = Math.max(...raw)
  return raw.map((value) => (high === 0 ? 100 : Math.floor((100 * (high + low - value)) / high)))
}

function softConstraints(pod: Pod): TopologySpreadConstraint[] {
  const own = pod.spec.topologySpreadConstraints
  if (own?.length) return own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
  // Upstream spreads by the selectors of the pod's services and controller; the controller's labels stand for both.
  if (!controllerOf(pod) || !pod.metadata.labels) return []
  return DEFAULT_CONSTRAINTS.map((constraint) => ({
    ...constraint,
    labelSelector: { matchLabels: pod.metadata.labels },
  }))
}
