import { type Pod } from '../controllers/objects.js'
import { nodeAffinity } from './node-affinity.js'
import { type NodeLoad, requestsOf } from './node-load.js'
import { podAffinity } from './pod-affinity.js'
import { type Filter, type Refusal, type Scene, unless } from './scene.js'
import { schedulable, taints } from './taints.js'
import { spread } from './topology.js'
import { volumes } from './volumes.js'

/** No pod of the node has taken a port of the node that the pod wants. */
const hostPorts: Filter = ({ pod }, { pods }) => {
  const wanted = portsOf(pod)
  if (wanted.length === 0) return null
  const taken = new Set([...pods.values()].flatMap(portsOf))
  return wanted.some((port) => taken.has(port))
    ? unless("node(s) didn't have free ports for the requested pod ports")
    : null
}

function portsOf({ spec }: Pod): string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? []).filter((one) => one.restartPolicy)]
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${hostPort}/${protocol}`] : [])),
  )
}

/** What the pods of the node leave is enough. */
const resources: Filter = ({ pod }, { allocatable, used, pods }) => {
  const lacking = Object.entries(requestsOf(pod)).filter(
    ([name, amount]) => amount > 0 && (used[name] ?? 0) + amount > (allocatable[name] ?? 0) + 1e-9,
  )
  const full = pods.size + 1 > (allocatable.pods ?? Infinity)
  if (lacking.length === 0 && !full) return null
  return {
    reasons: [...(full ? ['Too many pods'] : []), ...lacking.map(([name]) => `Insufficient ${name}`)],
    resolvable: lacking.every(([name, amount]) => amount <= (allocatable[name] ?? 0) + 1e-9),
  }
}

/** In upstream's order: the first that fails gives the node's reasons. */
const FILTERS: readonly Filter[] = [
  schedulable,
  taints,
  nodeAffinity,
  hostPorts,
  resources,
  volumes,
  spread,
  podAffinity,
]

/** Why the node will not do for the scene's pod; null when it does. */
export function refusalOf(scene: Scene, load: NodeLoad): Refusal | null {
  for (const filter of FILTERS) {
    const refusal = filter(scene, load)
    if (refusal) return refusal
  }
  return null
}
