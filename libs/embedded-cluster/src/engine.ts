import {
  type Engine as EnginePort,
  type EngineOptions,
  type LogLine,
  type LogRequest,
  type PodUsage,
} from './api/engine-port.js'
import { NamespaceLifecycle } from './api/namespace-lifecycle.js'
import { RoleNotes } from './access/note-roles.js'
import { STANDING_ASSUMPTIONS } from './assumptions.js'
import { HorizontalAutoscaler } from './autoscaling/horizontal-autoscaler.js'
import { QuotaController } from './admission/quota-controller.js'
import { startChaos } from './chaos/chaos.js'
import { type Cluster } from './controllers/cluster.js'
import { CronJobController } from './controllers/cronjob.js'
import { CustomKinds } from './controllers/custom-kinds.js'
import { DaemonSetController } from './controllers/daemonset.js'
import { DeploymentController } from './controllers/deployment.js'
import { DisruptionController } from './controllers/disruption.js'
import { EndpointSliceController } from './controllers/endpoint-slices.js'
import { EventRecorder } from './controllers/events.js'
import { GarbageCollector } from './controllers/garbage.js'
import { JobController } from './controllers/job.js'
import { type Node } from './controllers/objects.js'
import { ReplicaSetController } from './controllers/replicaset.js'
import { StatefulSetController } from './controllers/statefulset.js'
import { NodeTaints } from './controllers/node-taints.js'
import { TaintEviction } from './controllers/taint-eviction.js'
import { ImageProfiles, type ImageProfilesInput } from './images/image-profile.js'
import { IngressController } from './ingress/ingress-controller.js'
import { fork } from './kernel/fork.js'
import { Kernel } from './kernel/kernel.js'
import { Kubelets } from './kubelet/kubelets.js'
import { type ContainerLog } from './kubelet/logs.js'
import { findLog } from './kubelet/read-logs.js'
import { nodeObjects } from './nodes.js'
import { Scheduler } from './scheduler/scheduler.js'
import { withDefaults } from './schema/defaults.js'
import { ClaimController } from './storage/claim-controller.js'
import { createDefaultClass } from './storage/storage-classes.js'
import { type StoredObject } from './store/object.js'
import { ObjectStore } from './store/store.js'
import { NetworkPolicies } from './traffic/network-policies.js'
import { Network } from './traffic/network.js'
import { Routing } from './traffic/routing.js'

const NAMESPACES = ['default', 'kube-system', 'chaos-mesh']

export interface Engine extends EnginePort {
  readonly network: Network
  /**
   * A copy of the whole cluster at this instant, in memory. The two go on independently, and alike: run to the same
   * time, they have the same history. With `seed`, everything random differs from here on. Watchers and followers of
   * logs stay with the original. Throws while events run.
   */
  fork(options?: ForkOptions): Engine
}

export interface ForkOptions {
  /** The seed of everything random from now on; the original's goes on if there is none. */
  readonly seed?: number
}

export interface CreateEngineOptions extends Omit<EngineOptions, 'mode'> {
  /** Three unless told otherwise; at most 255, since each has a pod network 10.244.<index>.0/24. */
  readonly nodes?: number
  /** How images behave that are not built in. */
  readonly images?: ImageProfilesInput
}

const NODES = 3

/** A cluster with its nodes and every controller, standing still at `startMs` until its kernel is run. */
export function createEngine(options: CreateEngineOptions): Engine {
  return new EmbeddedEngine(options)
}

/** The root of everything that a fork copies: see `kernel/fork.ts` for what may be held below it. */
class EmbeddedEngine implements Engine, Cluster {
  readonly kernel: Kernel
  readonly store: ObjectStore
  readonly events: EventRecorder
  readonly network: Network
  readonly images: ImageProfiles
  private readonly kubelets: Kubelets
  private readonly assumed = new Set(STANDING_ASSUMPTIONS)

  constructor(options: CreateEngineOptions) {
    this.kernel = new Kernel(options)
    this.store = new ObjectStore({ clock: this.kernel, random: this.kernel.stream('names') })
    this.events = new EventRecorder(this.kernel, this.store)
    this.images = new ImageProfiles(options.images)
    const nodes = createNodes(this, options.nodes ?? NODES)
    this.network = new Network(
      this.kernel,
      new Routing(this.kernel, this.store, nodes.length),
      new NetworkPolicies(this.store),
    )
    this.kubelets = new Kubelets(this, this.network, nodes)
    startControllers(this)
    new HorizontalAutoscaler(this, this)
    new IngressController(this, this.network)
    startChaos({ cluster: this, network: this.network, kubelets: this.kubelets })
  }

  get assumptions(): readonly string[] {
    return [...this.assumed]
  }

  assume(text: string): void {
    this.assumed.add(text)
  }

  logs(request: LogRequest): readonly LogLine[] {
    return this.log(request).lines
  }

  followLogs(request: LogRequest, listener: (line: LogLine) => void): () => void {
    return this.log(request).follow(listener)
  }

  fork({ seed }: ForkOptions = {}): Engine {
    if (this.kernel.isRunning) throw new Error('a cluster cannot be forked while its events run')
    const copy = fork<EmbeddedEngine>(this)
    if (seed !== undefined) copy.kernel.reseed(seed)
    return copy
  }

  usageOf(pod: StoredObject): PodUsage | null {
    return this.kubelets.usageOf(pod)
  }

  close(): void {
    // Nothing is held outside the kernel.
  }

  private log(request: LogRequest): ContainerLog {
    return findLog(this.store, this.kubelets, request)
  }
}

/** In this order they hear of changes. */
function startControllers(cluster: Cluster): void {
  new ReplicaSetController(cluster)
  new DeploymentController(cluster)
  new EndpointSliceController(cluster)
  new StatefulSetController(cluster)
  new DaemonSetController(cluster)
  new JobController(cluster)
  new CronJobController(cluster)
  new ClaimController(cluster)
  new Scheduler(cluster)
  new NodeTaints(cluster)
  new TaintEviction(cluster)
  new RoleNotes(cluster)
  new CustomKinds(cluster)
  new GarbageCollector(cluster)
  new DisruptionController(cluster)
  new QuotaController(cluster)
  new NamespaceLifecycle(cluster)
}

function createNodes({ kernel, store }: Cluster, count: number): Node[] {
  for (const name of NAMESPACES) {
    store.create('namespaces', withDefaults({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  }
  createDefaultClass(store)
  return nodeObjects(kernel.now, count).map((node) => store.create<Node>('nodes', node))
}
