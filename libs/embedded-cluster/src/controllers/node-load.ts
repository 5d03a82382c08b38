import { parseQuantity } from '../schema/quantity.js'
import { type Node, type Pod, type Quantities } from './objects.js'

export type Resources = Record<string, number>

/** What one node can give, and what the pods bound to it take. */
export interface NodeLoad {
  readonly node: Node
  readonly allocatable: Resources
  readonly used: Resources
  readonly pods: Pod[]
}

/** Every node with the pods that are bound to it and have not ended. */
export function nodeLoads(nodes: readonly Node[], pods: readonly Pod[]): NodeLoad[] {
  const loads = new Map<string, NodeLoad>(
    nodes.map((node) => [
      node.metadata.name,
      { node, allocatable: amounts(node.status.allocatable), used: {}, pods: [] },
    ]),
  )
  for (const pod of pods) {
    const load = loads.get(pod.spec.nodeName ?? '')
    if (!load || ended(pod)) continue
    load.pods.push(pod)
    addTo(load.used, requestsOf(pod))
  }
  return [...loads.values()]
}

/** The sum of the containers' requests. */
export function requestsOf({ spec }: Pod): Resources {
  const sum: Resources = {}
  for (const { resources } of spec.containers) addTo(sum, amounts(resources?.requests ?? {}))
  return sum
}

export function ended({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

function addTo(sum: Resources, more: Resources): void {
  for (const name in more) sum[name] = (sum[name] ?? 0) + (more[name] ?? 0)
}

const amounts = (quantities: Quantities): Resources =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, parseQuantity(quantity)]))
