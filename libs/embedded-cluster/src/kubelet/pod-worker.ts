import { callback } from '../kernel/callback.js'
import { type ContainerCompute } from '../compute/container-compute.js'
import { type NodeCompute } from '../compute/node-compute.js'
import { type Kernel } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { timestamp } from '../store/object.js'
import { type Container, type Pod } from '../controllers/objects.js'
import { type ImageProfiles } from '../images/image-profile.js'
import { type Network } from '../traffic/network.js'
import { Peer } from '../traffic/peer.js'
import { ContainerRunner } from './container-runner.js'
import { backOffTexts } from './crash-backoff.js'
import { ContainerConfigError, environmentOf } from './environment.js'
import { type Look } from './image-pull.js'
import { PendingSteps } from './pending-steps.js'
import { type NodeContext, type PodContext } from './pod-context.js'
import { type PodReport, isInitialized } from './pod-status.js'
import { type Afterwards, PodStop } from './pod-stop.js'
import {
  SANDBOX_MS,
  CREATE_MS,
  START_MS,
  TEAR_DOWN_MS,
  STATUS_MS,
  RELIST_MS,
  RETRY_MS,
  FIRST_MOUNT_MS,
  MAX_MOUNT_MS,
  DEFAULT_GRACE_SECONDS,
  LEAST_GRACE_SECONDS,
} from './pod-timings.js'
import { runsToEnd } from './runs-to-end.js'
import { StatusWriter } from './status-writer.js'
import { missingVolume } from './volumes.js'

/**
 * The kubelet's work on one pod:
 * waiting for volumes → sandbox → init containers, one by one → containers (running ⇄ ended, restarted by policy) →
 * terminating, sidecars last → gone.
 */
export class PodWorker implements PodContext {
  readonly initContainers: ContainerRunner[]
  readonly containers: ContainerRunner[]
  readonly hostname: string
  readonly random: RandomStream
  peer: Peer
  private readonly startTime: string
  private sandbox = false
  private terminating = false
  /** The init containers are done, and the others have been started. */
  private begun = false
  private over = false
  private failure: { reason: string; message: string } | null = null
  private mountWaitMs = 0
  private readonly steps: PendingSteps
  private readonly stops: PodStop
  private readonly status: StatusWriter

  constructor(
    private readonly host: NodeContext,
    public pod: Pod,
  ) {
    this.random = host.cluster.kernel.stream('kubelet')
    this.hostname = pod.spec.hostname ?? pod.metadata.name
    this.startTime = timestamp(this.kernel.now)
    this.peer = new Peer('', host.index, pod.metadata.namespace ?? '')
    const { containers, initContainers = [], activeDeadlineSeconds } = pod.spec
    this.steps = new PendingSteps(this)
    this.stops = new PodStop(this)
    this.status = new StatusWriter(host.cluster, this)
    const waitsFor = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'
    this.initContainers = initContainers.map((container) => new ContainerRunner(this, container, 'PodInitializing'))
    this.containers = containers.map((container) => new ContainerRunner(this, container, waitsFor))
    for (const container of this.all) container.startProbes()
    if (activeDeadlineSeconds !== undefined) this.kernel.after(activeDeadlineSeconds * 1000, this, 'expire')
    this.changed('now')
    this.mountVolumes()
  }

  get kernel(): Kernel {
    return this.host.cluster.kernel
  }

  /** Init containers, sidecars among them, and containers. */
  get all(): ContainerRunner[] {
    return [...this.initContainers, ...this.containers]
  }

  get network(): Network {
    return this.host.network
  }

  get images(): ImageProfiles {
    return this.host.cluster.images
  }

  get node(): Peer {
    return this.host.peer
  }

  get nodeCompute(): NodeCompute {
    return this.host.compute
  }

  /** CPU and memory of a running container; null when it does not run. */
  compute(container: string): ContainerCompute | null {
    return this.all.find(({ spec }) => spec.name === container)?.compute ?? null
  }

  list(path: string): unknown[] {
    return this.host.list(path)
  }

  assume(text: string): void {
    this.host.cluster.assume(text)
  }

  record(container: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const init = this.initContainers.some(({ spec }) => spec.name === container)
    const list = init ? 'initContainers' : 'containers'
    const fieldPath = container ? `spec.${list}{${container}}` : undefined
    const source = { component: 'kubelet', host: this.host.name }
    this.host.cluster.events.record(this.pod, source, { type, reason, message, fieldPath })
  }

  /** A newer version of the pod was seen. */
  update(pod: Pod): void {
    this.pod = pod
    if (pod.metadata.deletionTimestamp !== undefined) {
      return this.terminate(pod.metadata.deletionGracePeriodSeconds ?? this.graceSeconds)
    }
    const specs = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    for (const container of this.all) {
      const spec = specs.find(({ name }) => name === container.spec.name)
      if (spec) this.redefine(container, spec)
    }
  }

  /** The pod is gone from the API: its containers get the grace period of its spec all the same, as the kubelet does. */
  removed(): void {
    this.terminate(this.graceSeconds)
  }

  changed(when: 'now' | 'relist'): void {
    this.status.changed(when)
  }

  exited(container: ContainerRunner): void {
    if (this.halted) return this.changed('now')
    this.steps.appoint(container, RELIST_MS, callback(this, 'restartIfDue', container))
  }

  unhealthy(container: ContainerRunner, probe: 'liveness' | 'startup'): void {
    if (this.terminating || !container.running) return
    const { name } = container.spec
    this.record(name, 'Normal', 'Killing', `Container ${name} failed ${probe} probe, will be restarted`)
    const spec = probe === 'liveness' ? container.spec.livenessProbe : container.spec.startupProbe
    const seconds = spec?.terminationGracePeriodSeconds ?? this.graceSeconds
    this.stops.one(container, seconds, callback(this, 'restartKilled', container))
  }

  /** Kills the container's process, as a fault does. */
  killContainer(name: string): boolean {
    const container = this.all.find(({ spec }) => spec.name === name)
    if (!container?.running) return false
    container.kill()
    return true
  }

  mountVolumes(): void {
    if (this.terminating) return
    const missing = missingVolume(this.host.cluster.store, this.pod)
    if (missing === null) return this.createSandbox()
    this.record('', 'Warning', 'FailedMount', missing)
    this.mountWaitMs = Math.min(this.mountWaitMs === 0 ? FIRST_MOUNT_MS : 2 * this.mountWaitMs, MAX_MOUNT_MS)
    this.kernel.after(this.mountWaitMs, this, 'mountVolumes')
  }

  private createSandbox(): void {
    this.kernel.after(this.random.between(...SANDBOX_MS), this, 'sandboxCreated')
  }

  /** For the kernel. */
  sandboxCreated(): void {
    if (this.terminating) return
    const peer = new Peer(this.host.allocateIP(), this.host.index, this.pod.metadata.namespace ?? '')
    this.peer = peer
    this.network.join(peer)
    this.sandbox = true
    this.changed('relist')
    this.initialize()
  }

  /** Init containers run to their end one after another; a sidecar only has to be up before the next. */
  private initialize(): void {
    if (this.begun || !this.sandbox || this.halted) return
    const next = this.initContainers.find((container) => !isInitialized(this.reportInit(container)))
    if (!next) {
      this.begun = true
      return this.startInOrder(0)
    }
    if (!next.running && !this.steps.has(next) && next.exitCode === null) this.create(next)
  }

  private reportInit(container: ContainerRunner) {
    return { ...container.report(), sidecar: container.isSidecar }
  }

  /** A sidecar's start-up probe has succeeded: the next may start. */
  started(container: ContainerRunner): void {
    if (container.isSidecar) this.initialize()
  }

  runsToEnd(container: Container): boolean {
    return runsToEnd(this.pod, container)
  }

  /** The kubelet starts a pod's containers one after another, without waiting for them to be ready. */
  private startInOrder(index: number): void {
    const container = this.containers[index]
    if (container) this.create(container, index + 1)
  }

  /** Creates a container, then goes on with the one of index `next`, if any. */
  create(container: ContainerRunner, next: number | null = null): void {
    const { name, image } = container.spec
    const look = container.imagePull.look(container.spec, this.kernel.now)
    if (look) {
      this.awaitImage(container, look)
      return this.goOn(next)
    }
    this.record(name, 'Normal', 'Pulled', `Container image "${image}" already present on machine`)
    this.steps.appoint(container, CREATE_MS, callback(this, 'containerCreated', container, next))
  }

  /** The first look is followed by a second as soon as the pod's sandbox is noticed, later ones are far between. */
  private awaitImage(container: ContainerRunner, { events, found }: Look): void {
    const { obstacle } = container
    for (const { type, reason, message } of events) this.record(container.spec.name, type, reason, message)
    const shown = obstacle ?? found
    container.wait(shown.reason, shown.message)
    container.obstacle = found
    this.changed('relist')
    this.steps.appoint(container, obstacle ? RETRY_MS : RELIST_MS, callback(this, 'create', container, null))
  }

  containerCreated(container: ContainerRunner, next: number | null): void {
    const env = this.environment(container)
    if (!env) return this.goOn(next)
    const { name } = container.spec
    this.record(name, 'Normal', 'Created', `Created container: ${name}`)
    this.steps.appoint(container, START_MS, callback(this, 'startContainer', container, env, next))
  }

  startContainer(container: ContainerRunner, env: ReadonlyMap<string, string>, next: number | null): void {
    const { name } = container.spec
    container.obstacle = null
    container.start(env)
    this.record(name, 'Normal', 'Started', `Started container ${name}`)
    this.changed('relist')
    this.goOn(next)
    this.initialize()
  }

  private goOn(next: number | null): void {
    if (next !== null) this.startInOrder(next)
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
      this.steps.appoint(container, RETRY_MS, callback(this, 'create', container, null))
      return null
    }
  }

  /** The kubelet ended it itself, and starts it anew in the same breath: only the end before counts for a wait. */
  restartKilled(container: ContainerRunner): void {
    const { spec, backoff, previousEndMs } = container
    const wait = previousEndMs === null ? 0 : backoff.remaining(spec.image, previousEndMs, this.kernel.now)
    if (this.halted || wait > 0 || !this.restarts(container)) return this.restartIfDue(container)
    if (previousEndMs !== null) backoff.restarted(spec.image, this.kernel.now)
    this.create(container)
  }

  /** Also when its process has ended, or its wait is over. */
  restartIfDue(container: ContainerRunner): void {
    if (this.halted || container.running || this.steps.has(container)) return
    if (container.obstacle) container.wait(container.obstacle.reason, container.obstacle.message)
    this.changed('now')
    if (!this.restarts(container)) return this.endedForGood(container)
    const { image } = container.spec
    if (container.backoff.remaining(image, container.endedMs, this.kernel.now) === 0) {
      container.backoff.restarted(image, this.kernel.now)
      container.obstacle = null
      return this.create(container)
    }
    this.backOff(container)
  }

  /** The kubelet looks again after 10 to 15 s, whatever the wait, and only then tells that there is one. */
  private backOff(container: ContainerRunner): void {
    const { image, name } = container.spec
    const { said, message } = backOffTexts(this.pod, name, container.backoff.delay(image))
    this.record(name, 'Warning', 'BackOff', said)
    container.obstacle = { reason: 'CrashLoopBackOff', message }
    this.steps.appoint(container, RETRY_MS, callback(this, 'restartIfDue', container))
  }

  private restarts(container: ContainerRunner): boolean {
    const policy = this.pod.spec.restartPolicy ?? 'Always'
    if (container.runningImage !== container.spec.image || container.isSidecar) return true
    if (this.initContainers.includes(container)) return container.exitCode !== 0 && policy !== 'Never'
    if (policy === 'Always') return true
    return policy === 'OnFailure' && container.exitCode !== 0
  }

  /** A pod whose containers all ended for good gives its address back. */
  private checkFinished(): void {
    if (this.containers.some((container) => container.running || this.steps.has(container))) return
    for (const container of this.all) container.stopProbes('startup', 'readiness', 'liveness')
    this.stops.all('leave', null)
  }

  stopped(done: Afterwards): void {
    if (done === 'leave') this.leave()
    else this.tearDown()
  }

  /** All that ran has ended for good, which the kubelet notices at its next look: the pod stays as a record. */
  private leave(): void {
    this.changed('relist')
    this.kernel.after(this.random.between(...RELIST_MS), this, 'left')
  }

  /** For the kernel. */
  left(): void {
    this.network.leave(this.peer)
    this.over = true
    this.changed('now')
  }

  private endedForGood(container: ContainerRunner): void {
    const done = this.initContainers.includes(container) && container.exitCode === 0
    if (done) this.initialize()
    else this.checkFinished()
  }

  /** The pod was active for longer than its spec allows. */
  expire(): void {
    if (this.halted || this.status.closed || !this.all.some((container) => container.running)) return
    const message = 'Pod was active on the node longer than the specified deadline'
    this.failure = { reason: 'DeadlineExceeded', message }
    this.record('', 'Normal', 'DeadlineExceeded', message)
    this.steps.cancelAll()
    this.stops.all('leave', this.graceSeconds * 1000)
    this.changed('now')
  }

  /** Nothing is started any more. */
  get halted(): boolean {
    return this.terminating || this.failure !== null
  }

  private redefine(container: ContainerRunner, spec: Container): void {
    const before = container.spec.image
    container.spec = spec
    if (before === spec.image) return
    if (container.running) {
      const message = `Container ${spec.name} definition changed, will be restarted`
      this.record(spec.name, 'Normal', 'Killing', message)
      this.stops.one(container, this.graceSeconds, callback(this, 'restartKilled', container))
    } else if (container.obstacle) {
      container.obstacle = null
      this.steps.appoint(container, STATUS_MS, callback(this, 'restartIfDue', container))
    }
  }

  private terminate(graceSeconds: number): void {
    const graceMs = Math.max(graceSeconds, LEAST_GRACE_SECONDS) * 1000
    if (this.terminating && this.kernel.now + graceMs >= this.stops.deadlineMs) return
    const first = !this.terminating
    this.terminating = true
    this.steps.cancelAll()
    for (const container of this.all) container.stopProbes('startup', 'liveness')
    if (first) this.stops.all('tearDown', graceMs)
    else this.stops.hasten(graceMs)
  }

  private tearDown(): void {
    for (const container of this.all) container.stopProbes('readiness')
    this.kernel.after(this.random.between(...TEAR_DOWN_MS), this, 'tornDown')
  }

  /** For the kernel. */
  tornDown(): void {
    this.network.leave(this.peer)
    if (this.sandbox) this.host.releaseIP(this.peer.ip)
    this.sandbox = false
    this.status.write()
    this.status.close()
    this.host.finished(this)
  }

  report(current: Pod): PodReport {
    return {
      pod: current,
      initContainers: this.initContainers.map((container) => this.reportInit(container)),
      containers: this.containers.map((container) => container.report()),
      failure: this.failure,
      terminating: this.terminating,
      over: this.over,
      sandbox: this.sandbox && !this.over,
      podIP: this.peer.ip,
      hostIP: this.host.hostIP,
      startTime: this.startTime,
      now: timestamp(this.kernel.now),
    }
  }

  get graceSeconds(): number {
    return this.pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  }
}
