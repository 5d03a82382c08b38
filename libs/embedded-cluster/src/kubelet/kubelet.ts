import { type PodUsage } from '../api/engine-port.js'
import { NodeCompute } from '../compute/node-compute.js'
import { readPodMetrics } from '../compute/pod-metrics.js'
import { parseQuantity } from '../schema/quantity.js'
import { type StoredObject } from '../store/object.js'
import { type Cluster } from '../controllers/cluster.js'
import { type Node, type Pod } from '../controllers/objects.js'
import { readList } from '../controllers/read-list.js'
import { type Network } from '../traffic/network.js'
import { Peer } from '../traffic/peer.js'
import { type NodeContext } from './pod-context.js'
import { PodWorker } from './pod-worker.js'

/** From the API server to the kubelet, and into its work. */
const WATCH_MS = [5, 40] as const

export interface KubeletOptions {
  readonly cluster: Cluster
  readonly network: Network
  readonly node: Node
  /** Index of the node, which also numbers its pod network 10.244.<index>.0/24. */
  readonly index: number
  /** Those of all nodes. */
  readonly kubelets: Meters
}

/** What the pods of all nodes use. */
interface Meters {
  usageOf(pod: StoredObject): PodUsage | null
}

/** The agent of one node: takes over the pods that are bound to it and reports what became of them. */
export class Kubelet implements NodeContext {
  readonly cluster: Cluster
  readonly network: Network
  readonly name: string
  readonly index: number
  readonly hostIP: string
  readonly peer: Peer
  readonly compute: NodeCompute
  private readonly kubelets: Meters
  private readonly workers = new Map<string, PodWorker>()
  private readonly usedIPs = new Set<number>()
  private nextIP = 2

  constructor({ cluster, network, node, index, kubelets }: KubeletOptions) {
    this.kubelets = kubelets
    this.cluster = cluster
    this.network = network
    this.name = node.metadata.name
    this.index = index
    this.hostIP = node.status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? ''
    this.peer = new Peer(this.hostIP, index, '')
    network.join(this.peer)
    const { cpu = 0, memory = 0 } = node.status.allocatable
    this.compute = new NodeCompute(cluster.kernel, parseQuantity(cpu), parseQuantity(memory))
  }

  /** The worker of a pod by its uid. */
  worker(uid: string): PodWorker | undefined {
    return this.workers.get(uid)
  }

  /** The pod was bound here, or changed. */
  podChanged(pod: Pod): void {
    const { kernel } = this.cluster
    const random = kernel.stream('kubelet/watch')
    kernel.after(random.between(...WATCH_MS), this, 'noticeChange', pod)
  }

  podRemoved(pod: Pod): void {
    const { kernel } = this.cluster
    const random = kernel.stream('kubelet/watch')
    kernel.after(random.between(...WATCH_MS), this, 'noticeRemoval', pod.metadata.uid)
  }

  /** For the kernel: a later change than the pod's has its own notice, and this one is old by then. */
  noticeChange({ metadata }: Pod): void {
    const current = this.cluster.store.get<Pod>('pods', metadata.namespace ?? '', metadata.name)
    const { uid, resourceVersion } = metadata
    if (current?.metadata.uid === uid && current.metadata.resourceVersion === resourceVersion) this.see(current)
  }

  /** For the kernel. */
  noticeRemoval(uid: string): void {
    this.workers.get(uid)?.removed()
  }

  list(path: string): unknown[] {
    const { kernel, store } = this.cluster
    const usageOf = (pod: StoredObject) => this.kubelets.usageOf(pod)
    return readPodMetrics({ kernel, store, usageOf }, path) ?? readList(store, path)
  }

  releaseIP(ip: string): void {
    this.usedIPs.delete(Number(ip.split('.')[3]))
  }

  private see(pod: Pod): void {
    const worker = this.workers.get(pod.metadata.uid)
    if (worker) return worker.update(pod)
    const { phase } = pod.status ?? {}
    if (phase === 'Succeeded' || phase === 'Failed') return
    const created = new PodWorker(this, pod)
    this.workers.set(pod.metadata.uid, created)
    if (pod.metadata.deletionTimestamp !== undefined) created.update(pod)
  }

  finished(worker: PodWorker): void {
    const { namespace, name, uid } = worker.pod.metadata
    this.workers.delete(uid)
    const { store } = this.cluster
    if (store.get('pods', namespace ?? '', name)?.metadata.uid !== uid) return
    store.remove('pods', namespace ?? '', name)
  }

  /** Addresses are handed out in turn, so one is not used again soon after it was free. */
  allocateIP(): string {
    while (this.usedIPs.has(this.nextIP)) this.advance()
    const last = this.nextIP
    this.usedIPs.add(last)
    this.advance()
    return `10.244.${this.index}.${last}`
  }

  private advance(): void {
    this.nextIP = this.nextIP >= 254 ? 2 : this.nextIP + 1
  }
}
