import { parseQuantity } from '../schema/quantity.js'
import { type ObjectStore } from '../store/store.js'
import { type Node, type Pod, type PodSpec, type Quantities } from './objects.js'

export type Resources = Readonly<Record<string, number>>

/** What one node can give, and what the pods bound to it that have not ended take. */
export interface NodeLoad {
  readonly node: Node
  readonly allocatable: Resources
  readonly used: Resources
  readonly pods: ReadonlyMap<string, Pod>
}

interface MutableLoad extends NodeLoad {
  node: Node
  allocatable: Resources
  used: Record<string, number>
  pods: Map<string, Pod>
}

/** The load of every node, kept up to date change by change: looking at all pods for each would cost their square. */
export class NodeLoads {
  private readonly loads = new Map<string, MutableLoad>()

  constructor(store: ObjectStore) {
    for (const node of store.list<Node>('nodes')) this.setNode(node)
    store.subscribe('nodes', ({ type, object }) => {
      if (type === 'DELETED') this.loads.delete(object.metadata.name)
      else this.setNode(object as Node)
    })
    store.subscribe('pods', ({ type, object, old }) => {
      if (old) this.drop(old as Pod)
      if (type !== 'DELETED') this.add(object as Pod)
    })
  }

  get all(): NodeLoad[] {
    return [...this.loads.values()]
  }

  private setNode(node: Node): void {
    const allocatable = amounts(node.status.allocatable)
    const known = this.loads.get(node.metadata.name)
    if (known) Object.assign(known, { node, allocatable })
    else this.loads.set(node.metadata.name, { node, allocatable, used: {}, pods: new Map() })
  }

  private add(pod: Pod): void {
    const load = this.loads.get(pod.spec.nodeName ?? '')
    if (!load || ended(pod)) return
    load.pods.set(pod.metadata.uid, pod)
    addTo(load.used, requestsOf(pod), 1)
  }

  private drop(pod: Pod): void {
    const load = this.loads.get(pod.spec.nodeName ?? '')
    if (load?.pods.delete(pod.metadata.uid)) addTo(load.used, requestsOf(pod), -1)
  }
}

const requestsBySpec = new WeakMap<PodSpec, Resources>()

/** The sum of the containers' requests. */
export function requestsOf({ spec }: Pod): Resources {
  let sum = requestsBySpec.get(spec)
  if (!sum) {
    sum = {}
    for (const { resources } of spec.containers) addTo(sum, amounts(resources?.requests ?? {}), 1)
    requestsBySpec.set(spec, sum)
  }
  return sum
}

export function ended({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

function addTo(sum: Record<string, number>, more: Resources, sign: 1 | -1): void {
  for (const name in more) sum[name] = (sum[name] ?? 0) + sign * (more[name] ?? 0)
}

const amounts = (quantities: Quantities): Resources =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, parseQuantity(quantity)]))
