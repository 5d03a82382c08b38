import { type Kernel, type Timer } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { timestamp, type StoredObject } from '../store/object.js'
import { type Cluster } from '../controllers/cluster.js'
import { type Container, type Pod } from '../controllers/objects.js'
import { type Network } from '../traffic/network.js'
import { Peer } from '../traffic/peer.js'
import { ContainerRunner } from './container-runner.js'
import { ContainerConfigError, environmentOf } from './environment.js'
import { type PodContext } from './pod-context.js'
import { podStatus } from './pod-status.js'
import { preStopMs } from './pre-stop.js'
import { missingVolume } from './volumes.js'

/** Virtual milliseconds that the parts of a pod's start take, within which each is drawn. */
const SANDBOX_MS = [500, 1000] as const
const CREATE_MS = [100, 300] as const
const START_MS = [50, 200] as const
const TEAR_DOWN_MS = [100, 300] as const
const STATUS_MS = [5, 30] as const
/** The kubelet looks at its containers once a second. */
const RELIST_MS = [50, 1000] as const
/** How soon it tries again what could not be done. */
const RETRY_MS = [10_000, 15_000] as const
const DEFAULT_GRACE_SECONDS = 30
/** No container is killed sooner than this after SIGTERM. */
const LEAST_GRACE_SECONDS = 2

export interface NodeContext {
  readonly cluster: Cluster
  readonly network: Network
  readonly name: string
  readonly hostIP: string
  readonly index: number
  readonly peer: Peer
  allocateIP(): string
  releaseIP(ip: string): void
  list(path: string): StoredObject[]
  /** The worker has nothing left to do. */
  finished(worker: PodWorker): void
}

/**
 * The kubelet's work on one pod:
 * waiting for volumes → sandbox → containers (running ⇄ ended, restarted by policy) → terminating → gone.
 */
export class PodWorker implements PodContext {
  readonly containers: ContainerRunner[]
  readonly hostname: string
  readonly random: RandomStream
  peer: Peer
  private readonly startTime: string
  private sandbox = false
  private terminating = false
  private graceDeadlineMs = Infinity
  private closed = false
  private statusTimer: Timer | null = null
  private readonly pendingStarts = new Map<ContainerRunner, Timer>()

  constructor(
    private readonly host: NodeContext,
    public pod: Pod,
  ) {
    this.random = host.cluster.kernel.stream('kubelet')
    this.hostname = pod.metadata.name
    this.startTime = timestamp(this.kernel.now)
    this.peer = new Peer('', host.index, pod.metadata.namespace ?? '')
    this.containers = pod.spec.containers.map((container) => new ContainerRunner(this, container))
    for (const container of this.containers) container.startProbes()
    this.changed('now')
    this.mountVolumes()
  }

  get kernel(): Kernel {
    return this.host.cluster.kernel
  }

  get network(): Network {
    return this.host.network
  }

  get node(): Peer {
    return this.host.peer
  }

  list(path: string): StoredObject[] {
    return this.host.list(path)
  }

  assume(text: string): void {
    this.host.cluster.assume(text)
  }

  record(container: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const fieldPath = container ? `spec.containers{${container}}` : undefined
    const source = { component: 'kubelet', host: this.host.name }
    this.host.cluster.events.record(this.pod, source, { type, reason, message, fieldPath })
  }

  /** A newer version of the pod was seen. */
  update(pod: Pod): void {
    this.pod = pod
    if (pod.metadata.deletionTimestamp !== undefined) {
      return this.terminate(pod.metadata.deletionGracePeriodSeconds ?? this.grace())
    }
    for (const container of this.containers) {
      const spec = pod.spec.containers.find(({ name }) => name === container.spec.name)
      if (spec) this.redefine(container, spec)
    }
  }

  /** The pod is gone from the API: its containers get the grace period of its spec all the same, as the kubelet does. */
  removed(): void {
    this.terminate(this.grace())
  }

  changed(when: 'now' | 'relist'): void {
    if (this.closed) return
    const [low, high] = when === 'now' ? STATUS_MS : RELIST_MS
    const due = this.kernel.now + this.random.between(low, high)
    if (this.statusTimer?.pending && this.statusTimer.time <= due) return
    this.statusTimer?.cancel()
    this.statusTimer = this.kernel.at(due, () => this.writeStatus())
  }

  exited(container: ContainerRunner): void {
    if (this.terminating) return
    this.later(container, RELIST_MS, () => this.restartIfDue(container))
  }

  unhealthy(container: ContainerRunner, probe: 'liveness' | 'startup'): void {
    if (this.terminating || !container.running) return
    const { name } = container.spec
    this.record(name, 'Normal', 'Killing', `Container ${name} failed ${probe} probe, will be restarted`)
    const spec = probe === 'liveness' ? container.spec.livenessProbe : container.spec.startupProbe
    const seconds = spec?.terminationGracePeriodSeconds ?? this.grace()
    this.stopContainer(container, seconds, () => this.restartIfDue(container))
  }

  /** Kills the container's process, as a fault does. */
  killContainer(name: string): boolean {
    const container = this.containers.find(({ spec }) => spec.name === name)
    if (!container?.running) return false
    container.kill()
    return true
  }

  private mountVolumes(): void {
    if (this.terminating) return
    const missing = missingVolume(this.host.cluster.store, this.pod)
    if (missing === null) return this.createSandbox()
    this.record('', 'Warning', 'FailedMount', missing)
    this.kernel.after(this.random.between(...RETRY_MS), () => this.mountVolumes())
  }

  private createSandbox(): void {
    this.kernel.after(this.random.between(...SANDBOX_MS), () => {
      if (this.terminating) return
      const peer = new Peer(this.host.allocateIP(), this.host.index, this.pod.metadata.namespace ?? '')
      this.peer = peer
      this.network.join(peer)
      this.sandbox = true
      this.changed('relist')
      this.startInOrder(0)
    })
  }

  /** The kubelet starts a pod's containers one after another, without waiting for them to be ready. */
  private startInOrder(index: number): void {
    const container = this.containers[index]
    if (container) this.create(container, () => this.startInOrder(index + 1))
  }

  private create(container: ContainerRunner, created?: () => void): void {
    const { name, image } = container.spec
    this.record(name, 'Normal', 'Pulled', `Container image "${image}" already present on machine`)
    this.later(container, CREATE_MS, () => {
      const env = this.environment(container)
      if (!env) return created?.()
      this.record(name, 'Normal', 'Created', `Created container: ${name}`)
      this.later(container, START_MS, () => {
        container.start(env)
        this.record(name, 'Normal', 'Started', `Started container ${name}`)
        this.changed('relist')
        created?.()
      })
    })
  }

  /** Null when the container's environment cannot be made yet: its start is tried again later. */
  private environment(container: ContainerRunner): ReadonlyMap<string, string> | null {
    try {
      const facts = { podIP: this.peer.ip, hostIP: this.host.hostIP }
      return environmentOf(this.host.cluster.store, this.pod, container.spec, facts)
    } catch (error) {
      if (!(error instanceof ContainerConfigError)) throw error
      container.wait('CreateContainerConfigError', error.message)
      this.record(container.spec.name, 'Warning', 'Failed', `Error: ${error.message}`)
      this.changed('now')
      this.later(container, RETRY_MS, () => this.create(container))
      return null
    }
  }

  private restartIfDue(container: ContainerRunner): void {
    if (this.terminating || container.running || this.pendingStarts.has(container)) return
    this.changed('now')
    if (!this.restarts(container)) return this.checkFinished()
    const { image, name } = container.spec
    const wait = container.backoff.remaining(image, container.endedMs, this.kernel.now)
    if (wait === 0) {
      container.backoff.restarted(image, this.kernel.now)
      return this.create(container)
    }
    const { namespace, uid } = this.pod.metadata
    const podId = `${this.pod.metadata.name}_${namespace ?? ''}(${uid})`
    const text = `restarting failed container ${name} in pod ${podId}`
    this.record(name, 'Warning', 'BackOff', `Back-off ${text}`)
    container.wait('CrashLoopBackOff', `back-off ${inWords(container.backoff.delay(image))} ${text}`)
    this.later(container, [wait, wait + 1000], () => this.restartIfDue(container))
  }

  private restarts(container: ContainerRunner): boolean {
    const policy = this.pod.spec.restartPolicy ?? 'Always'
    if (container.runningImage !== container.spec.image || policy === 'Always') return true
    return policy === 'OnFailure' && container.exitCode !== 0
  }

  /** A pod whose containers all ended for good gives its address back. */
  private checkFinished(): void {
    if (this.containers.some((container) => container.running || this.pendingStarts.has(container))) return
    for (const container of this.containers) container.stopProbes('startup', 'readiness', 'liveness')
    this.network.leave(this.peer)
  }

  private redefine(container: ContainerRunner, spec: Container): void {
    const before = container.spec.image
    container.spec = spec
    if (before === spec.image) return
    if (container.running) {
      const message = `Container ${spec.name} definition changed, will be restarted`
      this.record(spec.name, 'Normal', 'Killing', message)
      this.stopContainer(container, this.grace(), () => this.restartIfDue(container))
    } else if (container.state.waiting?.reason === 'CrashLoopBackOff') {
      this.later(container, STATUS_MS, () => this.restartIfDue(container))
    }
  }

  private terminate(graceSeconds: number): void {
    const graceMs = Math.max(graceSeconds, LEAST_GRACE_SECONDS) * 1000
    const deadline = this.kernel.now + graceMs
    if (this.terminating && deadline >= this.graceDeadlineMs) return
    const first = !this.terminating
    this.terminating = true
    this.graceDeadlineMs = deadline
    for (const timer of this.pendingStarts.values()) timer.cancel()
    this.pendingStarts.clear()
    let left = this.containers.length
    for (const container of this.containers) {
      container.stopProbes('startup', 'liveness')
      const { name } = container.spec
      if (first && container.running) this.record(name, 'Normal', 'Killing', `Stopping container ${name}`)
      this.stopContainer(container, graceMs / 1000, () => {
        this.changed('now')
        left -= 1
        if (left === 0 && first) this.tearDown()
      })
    }
  }

  private stopContainer(container: ContainerRunner, graceSeconds: number, ended: () => void): void {
    const graceMs = Math.max(graceSeconds, LEAST_GRACE_SECONDS) * 1000
    const sleepMs = container.running ? Math.min(preStopMs(container.spec), graceMs) : 0
    if (sleepMs === 0) return container.stop(graceMs, ended)
    this.kernel.after(sleepMs, () => container.stop(Math.max(graceMs - sleepMs, LEAST_GRACE_SECONDS * 1000), ended))
  }

  private tearDown(): void {
    for (const container of this.containers) container.stopProbes('readiness')
    this.kernel.after(this.random.between(...TEAR_DOWN_MS), () => {
      this.network.leave(this.peer)
      if (this.sandbox) this.host.releaseIP(this.peer.ip)
      this.sandbox = false
      this.writeStatus()
      this.closed = true
      this.statusTimer?.cancel()
      this.host.finished(this)
    })
  }

  private writeStatus(): void {
    const { store } = this.host.cluster
    const current = store.get<Pod>('pods', this.pod.metadata.namespace ?? '', this.pod.metadata.name)
    if (this.closed || current?.metadata.uid !== this.pod.metadata.uid) return
    const status = podStatus({
      pod: current,
      containers: this.containers.map((container) => container.report()),
      sandbox: this.sandbox,
      podIP: this.peer.ip,
      hostIP: this.host.hostIP,
      startTime: this.startTime,
      now: timestamp(this.kernel.now),
    })
    this.pod = store.update<Pod>('pods', { ...current, status })
    for (const container of this.containers) container.looked()
  }

  /** Appoints the container's next step; a newer one replaces it, and none happens while the pod terminates. */
  private later(container: ContainerRunner, range: readonly [number, number], run: () => void): void {
    this.pendingStarts.get(container)?.cancel()
    const timer = this.kernel.after(this.random.between(...range), () => {
      this.pendingStarts.delete(container)
      if (!this.terminating) run()
    })
    this.pendingStarts.set(container, timer)
  }

  private grace(): number {
    return this.pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  }
}

/** "10s", "1m20s", "5m0s", as Go prints a duration. */
function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
