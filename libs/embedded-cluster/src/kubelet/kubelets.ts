import { type Cluster } from '../controllers/cluster.js'
import { type Node, type Pod } from '../controllers/objects.js'
import { type PodUsage } from '../api/engine-port.js'
import { podUsage } from '../compute/pod-usage.js'
import { type Change, type StoredObject } from '../store/object.js'
import { type Network } from '../traffic/network.js'
import { Kubelet } from './kubelet.js'
import { type PodWorker } from './pod-worker.js'

/** The kubelets of all nodes: each hears of the pods that are bound to its own. */
export class Kubelets {
  private readonly byNode = new Map<string, Kubelet>()

  constructor(cluster: Cluster, network: Network, nodes: readonly Node[]) {
    nodes.forEach((node, index) => {
      this.byNode.set(node.metadata.name, new Kubelet({ cluster, network, node, index, kubelets: this }))
    })
    cluster.store.subscribe('pods', this, 'podChanged')
  }

  /** The worker of a pod; undefined when none runs it. */
  workerOf({ spec, metadata }: Pod): PodWorker | undefined {
    return this.byNode.get(spec.nodeName ?? '')?.worker(metadata.uid)
  }

  usageOf(pod: StoredObject): PodUsage | null {
    return podUsage(this.workerOf(pod as Pod))
  }

  podChanged({ type, object }: Change): void {
    const pod = object as Pod
    const kubelet = this.byNode.get(pod.spec.nodeName ?? '')
    if (type === 'DELETED') kubelet?.podRemoved(pod)
    else kubelet?.podChanged(pod)
  }
}
