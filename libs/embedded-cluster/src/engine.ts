import { type Engine as EnginePort, type EngineOptions, type LogLine, type LogRequest } from './api/engine-port.js'
import { STANDING_ASSUMPTIONS } from './assumptions.js'
import { startQuotaController } from './admission/quota-controller.js'
import { startChaos } from './chaos/chaos.js'
import { type Cluster } from './controllers/cluster.js'
import { startDeploymentController } from './controllers/deployment.js'
import { startDisruptionController } from './controllers/disruption.js'
import { startEndpointSliceController } from './controllers/endpoint-slices.js'
import { EventRecorder } from './controllers/events.js'
import { startGarbageCollector } from './controllers/garbage.js'
import { type Node, type Pod } from './controllers/objects.js'
import { readList } from './controllers/read-list.js'
import { startReplicaSetController } from './controllers/replicaset.js'
import { noteStoredKinds } from './controllers/stored-kinds.js'
import { startStatefulSetController } from './controllers/statefulset.js'
import { startClaimController } from './storage/claim-controller.js'
import { createDefaultClass } from './storage/storage-classes.js'
import { startCronJobController } from './controllers/cronjob.js'
import { startDaemonSetController } from './controllers/daemonset.js'
import { startJobController } from './controllers/job.js'
import { startTaintEviction } from './controllers/taint-eviction.js'
import { startScheduler } from './scheduler/scheduler.js'
import { Kernel } from './kernel/kernel.js'
import { Kubelet } from './kubelet/kubelet.js'
import { findLog } from './kubelet/read-logs.js'
import { nodeObjects } from './nodes.js'
import { withDefaults } from './schema/defaults.js'
import { ObjectStore } from './store/store.js'
import { Network } from './traffic/network.js'
import { Routing } from './traffic/routing.js'

const NAMESPACES = ['default', 'kube-system', 'chaos-mesh']

export interface Engine extends EnginePort {
  /** What was taken for granted so far, in sentences for people. */
  readonly assumptions: readonly string[]
  readonly network: Network
}

export interface CreateEngineOptions extends Omit<EngineOptions, 'mode'> {
  /** Three unless told otherwise; at most 255, since each has a pod network 10.244.<index>.0/24. */
  readonly nodes?: number
}

const NODES = 3

/** A cluster with its nodes and every controller, standing still at `startMs` until its kernel is run. */
export function createEngine(options: CreateEngineOptions): Engine {
  const kernel = new Kernel(options)
  const store = new ObjectStore({ now: () => kernel.now, random: kernel.stream('names') })
  const assumptions = new Set(STANDING_ASSUMPTIONS)
  const cluster: Cluster = {
    kernel,
    store,
    events: new EventRecorder(kernel, store),
    assume: (text) => assumptions.add(text),
  }
  const nodes = createNodes(cluster, options.nodes ?? NODES)
  const network = new Network(kernel, new Routing(kernel, store, nodes.length))
  const kubelets = startKubelets(cluster, network, nodes)
  const workerOf = (pod: Pod) => kubelets.get(pod.spec.nodeName ?? '')?.worker(pod.metadata.uid)
  startReplicaSetController(cluster)
  startDeploymentController(cluster)
  startEndpointSliceController(cluster)
  startStatefulSetController(cluster)
  startDaemonSetController(cluster)
  startJobController(cluster)
  startCronJobController(cluster)
  startClaimController(cluster)
  startScheduler(cluster)
  startTaintEviction(cluster)
  noteStoredKinds(cluster)
  startGarbageCollector(cluster)
  startDisruptionController(cluster)
  startQuotaController(cluster)
  startChaos({ cluster, network, workerOf })
  const logOf = (request: LogRequest) => findLog(store, workerOf, request)
  return {
    kernel,
    store,
    network,
    get assumptions() {
      return [...assumptions]
    },
    logs: (request): readonly LogLine[] => logOf(request).lines,
    followLogs: (request, listener) => logOf(request).follow(listener),
    close: () => undefined,
  }
}

function createNodes({ kernel, store }: Cluster, count: number): Node[] {
  for (const name of NAMESPACES) {
    store.create('namespaces', withDefaults({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  }
  createDefaultClass(store)
  return nodeObjects(kernel.now, count).map((node) => store.create<Node>('nodes', node))
}

function startKubelets(cluster: Cluster, network: Network, nodes: readonly Node[]): Map<string, Kubelet> {
  const list = (path: string) => readList(cluster.store, path)
  const kubelets = new Map(
    nodes.map((node, index) => [node.metadata.name, new Kubelet({ cluster, network, node, index, list })]),
  )
  cluster.store.subscribe('pods', ({ type, object }) => {
    const pod = object as Pod
    const kubelet = kubelets.get(pod.spec.nodeName ?? '')
    if (type === 'DELETED') kubelet?.podRemoved(pod)
    else kubelet?.podChanged(pod)
  })
  return kubelets
}
