import { type NodeCompute } from '../compute/node-compute.js'
import { type ImageProfiles } from '../images/image-profile.js'
import { type Kernel } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { type Network } from '../traffic/network.js'
import { type Peer } from '../traffic/peer.js'
import { type Cluster } from '../controllers/cluster.js'
import { type Container } from '../controllers/objects.js'
import { type ContainerRunner } from './container-runner.js'
import { type PodWorker } from './pod-worker.js'

/** What a container needs of its pod and node. */
export interface PodContext {
  readonly kernel: Kernel
  readonly random: RandomStream
  readonly network: Network
  readonly images: ImageProfiles
  readonly hostname: string
  /** The pod's own address. */
  readonly peer: Peer
  /** The node, from which probes come. */
  readonly node: Peer
  /** CPU and memory of the node. */
  readonly nodeCompute: NodeCompute
  list(path: string): unknown[]
  assume(text: string): void
  record(container: string, type: 'Normal' | 'Warning', reason: string, message: string): void
  /** The status needs writing: at once, or when the kubelet next looks at its containers. */
  changed(when: 'now' | 'relist'): void
  /** Whether the container is one that ends by itself when its work is done. */
  runsToEnd(container: Container): boolean
  /** A container is up, for those that wait for it. */
  started(container: ContainerRunner): void
  /** A container ended by itself. */
  exited(container: ContainerRunner): void
  /** A container failed its liveness or start-up probe for good. */
  unhealthy(container: ContainerRunner, probe: 'liveness' | 'startup'): void
}

/** What the work on a pod needs of its node. */
export interface NodeContext {
  readonly cluster: Cluster
  readonly network: Network
  readonly name: string
  readonly hostIP: string
  readonly index: number
  readonly peer: Peer
  readonly compute: NodeCompute
  allocateIP(): string
  releaseIP(ip: string): void
  list(path: string): unknown[]
  /** The worker has nothing left to do. */
  finished(worker: PodWorker): void
}
