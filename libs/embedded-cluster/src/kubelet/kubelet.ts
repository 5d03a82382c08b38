import { type StoredObject } from '../store/object.js'
import { type Cluster } from '../controllers/cluster.js'
import { type Node, type Pod } from '../controllers/objects.js'
import { type Network } from '../traffic/network.js'
import { Peer } from '../traffic/peer.js'
import { PodWorker } from './pod-worker.js'

/** From the API server to the kubelet, and into its work. */
const WATCH_MS = [5, 40] as const

export interface KubeletOptions {
  readonly cluster: Cluster
  readonly network: Network
  readonly node: Node
  /** Index of the node, which also numbers its pod network 10.244.<index>.0/24. */
  readonly index: number
  list(path: string): StoredObject[]
}

/** The agent of one node: takes over the pods that are bound to it and reports what became of them. */
export class Kubelet {
  private readonly workers = new Map<string, PodWorker>()
  private readonly usedIPs = new Set<number>()
  private nextIP = 2
  private readonly peer: Peer

  constructor(private readonly options: KubeletOptions) {
    this.peer = new Peer(this.hostIP, options.index, '')
    options.network.join(this.peer)
  }

  /** The worker of a pod by its uid. */
  worker(uid: string): PodWorker | undefined {
    return this.workers.get(uid)
  }

  /** The pod was bound here, or changed. */
  podChanged(pod: Pod): void {
    const { uid, resourceVersion } = pod.metadata
    const { kernel, store } = this.options.cluster
    const random = kernel.stream('kubelet/watch')
    kernel.after(random.between(...WATCH_MS), () => {
      const current = store.get<Pod>('pods', pod.metadata.namespace ?? '', pod.metadata.name)
      // A later change has its own notice; this one is old by now.
      if (current?.metadata.uid !== uid || current.metadata.resourceVersion !== resourceVersion) return
      this.see(current)
    })
  }

  podRemoved(pod: Pod): void {
    const { kernel } = this.options.cluster
    const random = kernel.stream('kubelet/watch')
    kernel.after(random.between(...WATCH_MS), () => this.workers.get(pod.metadata.uid)?.removed())
  }

  private see(pod: Pod): void {
    const worker = this.workers.get(pod.metadata.uid)
    if (worker) return worker.update(pod)
    const { phase } = pod.status ?? {}
    if (phase === 'Succeeded' || phase === 'Failed') return
    const { cluster, network, node, index } = this.options
    const created = new PodWorker(
      {
        cluster,
        network,
        index,
        list: (path) => this.options.list(path),
        name: node.metadata.name,
        hostIP: this.hostIP,
        peer: this.peer,
        allocateIP: () => this.allocateIP(),
        releaseIP: (ip) => this.usedIPs.delete(Number(ip.split('.')[3])),
        finished: (done) => this.finished(done),
      },
      pod,
    )
    this.workers.set(pod.metadata.uid, created)
    if (pod.metadata.deletionTimestamp !== undefined) created.update(pod)
  }

  private finished(worker: PodWorker): void {
    const { namespace, name, uid } = worker.pod.metadata
    this.workers.delete(uid)
    const { store } = this.options.cluster
    if (store.get('pods', namespace ?? '', name)?.metadata.uid !== uid) return
    store.remove('pods', namespace ?? '', name)
  }

  private get hostIP(): string {
    const address = this.options.node.status.addresses.find(({ type }) => type === 'InternalIP')
    return address?.address ?? ''
  }

  /** Addresses are handed out in turn, so one is not used again soon after it was free. */
  private allocateIP(): string {
    while (this.usedIPs.has(this.nextIP)) this.advance()
    const last = this.nextIP
    this.usedIPs.add(last)
    this.advance()
    return `10.244.${this.options.index}.${last}`
  }

  private advance(): void {
    this.nextIP = this.nextIP >= 254 ? 2 : this.nextIP + 1
  }
}
