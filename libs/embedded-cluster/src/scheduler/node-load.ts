import { parseQuantity } from '../schema/quantity.js'
import { type Change } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { type Node, type Pod, type PodSpec, type Quantities } from '../controllers/objects.js'
import { PodGroups } from './pod-groups.js'

export type Resources = Readonly<Record<string, number>>

/** What one node can give, and what the pods bound to it that have not ended take. */
export interface NodeLoad {
  readonly node: Node
  readonly allocatable: Resources
  readonly used: Resources
  readonly pods: ReadonlyMap<string, Pod>
  /** Those of its pods that ask for, or keep away, other pods. */
  readonly choosy: ReadonlyMap<string, Pod>
}

interface MutableLoad extends NodeLoad {
  node: Node
  allocatable: Resources
  used: Record<string, number>
  pods: Map<string, Pod>
  choosy: Map<string, Pod>
}

/** The load of every node, kept up to date change by change: looking at all pods for each would cost their square. */
export class NodeLoads {
  /** Placed pods that are neither ended nor on their way out. */
  readonly groups = new PodGroups()
  private readonly loads = new Map<string, MutableLoad>()

  constructor(store: ObjectStore) {
    for (const node of store.list<Node>('nodes')) this.setNode(node)
    store.subscribe('nodes', this, 'nodeChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  nodeChanged({ type, object }: Change): void {
    if (type === 'DELETED') this.loads.delete(object.metadata.name)
    else this.setNode(object as Node)
  }

  podChanged({ type, object, old }: Change): void {
    if (old) this.drop(old as Pod)
    if (type !== 'DELETED') this.add(object as Pod)
  }

  get all(): NodeLoad[] {
    return [...this.loads.values()]
  }

  private setNode(node: Node): void {
    const allocatable = amounts(node.status.allocatable)
    const known = this.loads.get(node.metadata.name)
    if (known) Object.assign(known, { node, allocatable })
    else this.loads.set(node.metadata.name, { node, allocatable, used: {}, pods: new Map(), choosy: new Map() })
  }

  private add(pod: Pod): void {
    const load = this.loads.get(pod.spec.nodeName ?? '')
    if (!load || ended(pod)) return
    load.pods.set(pod.metadata.uid, pod)
    if (isChoosy(pod)) load.choosy.set(pod.metadata.uid, pod)
    addTo(load.used, requestsOf(pod), 1)
    if (pod.metadata.deletionTimestamp === undefined) this.groups.add(pod)
  }

  private drop(pod: Pod): void {
    const load = this.loads.get(pod.spec.nodeName ?? '')
    if (!load?.pods.delete(pod.metadata.uid)) return
    load.choosy.delete(pod.metadata.uid)
    addTo(load.used, requestsOf(pod), -1)
    if (pod.metadata.deletionTimestamp === undefined) this.groups.remove(pod)
  }
}

/** The load as it would be without some of its pods. */
export function without(load: NodeLoad, gone: ReadonlySet<string>): NodeLoad {
  const used: Record<string, number> = { ...load.used }
  for (const uid of gone) {
    const pod = load.pods.get(uid)
    if (pod) addTo(used, requestsOf(pod), -1)
  }
  const left = (pods: ReadonlyMap<string, Pod>) => new Map([...pods].filter(([uid]) => !gone.has(uid)))
  return { ...load, used, pods: left(load.pods), choosy: left(load.choosy) }
}

/** The load as it would be with pods that have been promised a place. */
export function withPromised(load: NodeLoad, pods: readonly Pod[]): NodeLoad {
  const used: Record<string, number> = { ...load.used }
  for (const pod of pods) addTo(used, requestsOf(pod), 1)
  return { ...load, used }
}

const isChoosy = ({ spec }: Pod): boolean =>
  spec.affinity?.podAffinity !== undefined || spec.affinity?.podAntiAffinity !== undefined

const requestsBySpec = new WeakMap<PodSpec, Resources>()

/**
 * What a pod takes: the sum of its containers and sidecars, or what its greediest init container takes beside the
 * sidecars that were started before it, whichever is more.
 */
export function requestsOf({ spec }: Pod): Resources {
  let sum = requestsBySpec.get(spec)
  if (!sum) {
    sum = sumOf(spec)
    requestsBySpec.set(spec, sum)
  }
  return sum
}

function sumOf({ containers, initContainers = [] }: PodSpec): Resources {
  const sidecars: Record<string, number> = {}
  const peak: Record<string, number> = {}
  for (const { resources, restartPolicy } of initContainers) {
    const own = amounts(resources?.requests ?? {})
    const together = { ...sidecars }
    addTo(together, own, 1)
    raise(peak, together)
    if (restartPolicy === 'Always') addTo(sidecars, own, 1)
  }
  for (const { resources } of containers) addTo(sidecars, amounts(resources?.requests ?? {}), 1)
  raise(sidecars, peak)
  return sidecars
}

function raise(bounds: Record<string, number>, to: Resources): void {
  for (const name in to) bounds[name] = Math.max(bounds[name] ?? 0, to[name] ?? 0)
}

export function ended({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

function addTo(sum: Record<string, number>, more: Resources, sign: 1 | -1): void {
  for (const name in more) sum[name] = (sum[name] ?? 0) + sign * (more[name] ?? 0)
}

const amounts = (quantities: Quantities): Resources =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, parseQuantity(quantity)]))
