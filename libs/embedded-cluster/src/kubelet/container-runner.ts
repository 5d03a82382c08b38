import { callback, type Callback } from '../kernel/callback.js'
import { type Timer } from '../kernel/kernel.js'
import { timestamp } from '../store/object.js'
import { type Container, type ContainerState, type Probe } from '../controllers/objects.js'
import { describeServer, describeTask } from '../images/default-image.js'
import { type ContainerCompute } from '../compute/container-compute.js'
import { limitsOf, type ProgramMemory } from '../compute/limits-of.js'
import { type Program } from '../images/program.js'
import { imageNamed } from '../images/registry.js'
import { CrashBackoff } from './crash-backoff.js'
import { ContainerHost } from './container-host.js'
import { ImagePull, type Waiting } from './image-pull.js'
import { ContainerLog } from './logs.js'
import { type PodContext } from './pod-context.js'
import { type ContainerReport } from './pod-status.js'
import { checkProbe, portsOf } from './probe-check.js'
import { type ProbedContainer, type ProbeKind, ProbeWorker, type ResultTaker } from './probe-worker.js'

const SIGKILL_EXIT = 137
/** A program that needs more than its limit gets this far. */
const FILLING_MS = 300

/** One container of a pod through all its instances: process, state, log, probes. */
export class ContainerRunner implements ProbedContainer {
  readonly backoff = new CrashBackoff()
  readonly imagePull = new ImagePull()
  /** What keeps it from starting, as the kubelet's last look found; the status tells it at the next. */
  obstacle: Waiting | null = null
  state: ContainerState
  log: ContainerLog | null = null
  previousLog: ContainerLog | null = null
  /** Image of the running or last instance. */
  runningImage: string
  endedMs = 0
  /** The end of the instance before that; null when there was none. */
  previousEndMs: number | null = null
  private lastState: ContainerState = {}
  private restartCount = 0
  private instances = 0
  /** CPU and memory of the running instance. */
  compute: ContainerCompute | null = null
  private started = false
  private ready = false
  private startedAtMs: number | null = null
  private containerID: string | null = null
  private program: Program | null = null
  private killTimer: Timer | null = null
  private whenEnded: Callback[] = []
  private readonly probes = new Map<ProbeKind, ProbeWorker>()

  constructor(
    private readonly pod: PodContext,
    public spec: Container,
    waitsFor = 'ContainerCreating',
  ) {
    this.runningImage = spec.image
    this.state = { waiting: { reason: waitsFor } }
  }

  /** Probing runs, and idles, from the moment the pod is taken over. */
  startProbes(): void {
    const kinds: [ProbeKind, Probe | undefined][] = [
      ['startup', this.spec.startupProbe],
      ['readiness', this.spec.readinessProbe],
      ['liveness', this.spec.livenessProbe],
    ]
    for (const [kind, probe] of kinds) {
      if (probe) this.probes.set(kind, new ProbeWorker(this.pod.kernel, kind, probe, this))
    }
  }

  stopProbes(...kinds: ProbeKind[]): void {
    for (const kind of kinds) this.probes.get(kind)?.stop()
  }

  /** An init container that goes on beside the containers. */
  get isSidecar(): boolean {
    return this.spec.restartPolicy === 'Always'
  }

  get running(): boolean {
    return this.program !== null
  }

  /** Every part of it that must be up before others start is up. */
  get isStarted(): boolean {
    return this.started && this.running
  }

  get exitCode(): number | null {
    return this.state.terminated?.exitCode ?? null
  }

  /** Starts a new instance now, with an environment that is already resolved. */
  start(env: ReadonlyMap<string, string>): void {
    const { kernel, random } = this.pod
    if (this.instances > 0) {
      this.restartCount += 1
      this.previousLog = this.log
    }
    this.instances += 1
    if (this.state.terminated) this.lastState = this.state
    this.runningImage = this.spec.image
    this.startedAtMs = kernel.now
    this.containerID = `containerd://${hex(random)}${hex(random)}`
    this.state = { running: { startedAt: timestamp(kernel.now) } }
    this.started = !this.spec.startupProbe
    this.ready = !this.spec.readinessProbe && this.started
    this.log = new ContainerLog()
    this.program = this.launch(env, this.log)
  }

  /** The kubelet looked at the container: a readiness probe that has not succeeded yet runs out of turn. */
  looked(): void {
    if (this.running && this.started && !this.ready) this.probes.get('readiness')?.trigger()
  }

  /** SIGTERM, then SIGKILL when `graceMs` are over; `ended` is run when the process is gone. */
  stop(graceMs: number, ended: Callback): void {
    if (!this.program) return ended.run()
    this.whenEnded.push(ended)
    const waiting = this.killTimer
    const due = this.pod.kernel.now + graceMs
    if (waiting?.pending && waiting.time <= due) return
    waiting?.cancel()
    this.killTimer = this.pod.kernel.at(due, this, 'kill')
    if (!waiting?.pending) this.program.terminate()
  }

  /** SIGKILL. */
  kill(): void {
    this.program?.kill()
    if (this.program) this.ended(SIGKILL_EXIT, 'Error')
  }

  /** SIGKILL by the kernel: the instance holds more memory than its limit. */
  outOfMemory(instance: number): void {
    if (instance !== this.instances || !this.program) return
    this.program.kill()
    this.ended(SIGKILL_EXIT, 'OOMKilled')
  }

  /** The container waits for its next start, or cannot have one yet. */
  wait(reason: string, message: string): void {
    if (this.state.terminated) this.lastState = this.state
    this.state = { waiting: { reason, message } }
  }

  report(): ContainerReport {
    const { name, image } = this.spec
    return {
      name,
      image,
      imageID: this.instances > 0 ? `docker.io/${image}` : '',
      containerID: this.containerID,
      state: this.state,
      lastState: this.lastState,
      ready: this.ready && this.running,
      started: this.started && this.running,
      restartCount: this.restartCount,
    }
  }

  startedMs(): number | null {
    return this.program ? this.startedAtMs : null
  }

  hasStarted(): boolean {
    return this.started
  }

  check(probe: Probe, taker: ResultTaker): void {
    const { network, node, peer } = this.pod
    checkProbe({ network, node, pod: peer, container: this.spec }, probe, taker)
  }

  failed(kind: ProbeKind, output: string): void {
    const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
    this.pod.record(this.spec.name, 'Warning', 'Unhealthy', `${name} probe failed: ${output}`)
  }

  changed(kind: ProbeKind, ok: boolean): void {
    if (kind === 'readiness') {
      this.ready = ok
      this.pod.changed('now')
    } else if (kind === 'startup' && ok) {
      this.started = true
      this.ready = !this.spec.readinessProbe
      this.pod.changed('now')
      this.pod.started(this)
    } else if (!ok) {
      this.pod.unhealthy(this, kind)
    }
  }

  private launch(env: ReadonlyMap<string, string>, log: ContainerLog): Program {
    const { command = [], args = [], image: name } = this.spec
    const call = [...command, ...args]
    const runsToEnd = this.pod.runsToEnd(this.spec)
    const { image, builtIn, memory } = imageNamed(name, call)
    const profile = builtIn ? null : this.pod.images.of(name)
    const compute = this.takePlace({
      idle: profile?.memory ?? memory,
      perRequest: profile?.memoryPerRequest ?? null,
    })
    const ports = portsOf(this.spec)
    if (!builtIn) this.pod.assume(runsToEnd ? describeTask(name) : describeServer(name, ports, profile))
    const options = { env, ports, command: call, runsToEnd, compute, log, instance: this.instances }
    return image(new ContainerHost(this.pod, this, options), profile)
  }

  /** Enters the node's CPU and memory; what does not fit its limit is killed soon. */
  private takePlace(held: ProgramMemory): ContainerCompute {
    const compute = this.pod.nodeCompute.enter(limitsOf(this.spec, held))
    compute.onOutOfMemory = callback(this, 'outOfMemory', this.instances)
    this.compute = compute
    if (compute.outOfMemory) this.pod.kernel.after(FILLING_MS, this, 'outOfMemory', this.instances)
    return compute
  }

  /** The process of an instance ended by itself. */
  exited(code: number, instance: number): void {
    if (instance === this.instances && this.program) this.ended(code, code === 0 ? 'Completed' : 'Error')
  }

  private ended(exitCode: number, reason: 'Completed' | 'Error' | 'OOMKilled'): void {
    const now = this.pod.kernel.now
    this.program = null
    this.compute?.end()
    this.compute = null
    this.killTimer?.cancel()
    this.killTimer = null
    this.previousEndMs = this.instances > 1 ? this.endedMs : null
    this.endedMs = now
    this.ready = false
    this.started = false
    this.state = {
      terminated: {
        exitCode,
        reason,
        startedAt: timestamp(this.startedAtMs ?? now),
        finishedAt: timestamp(now),
        containerID: this.containerID ?? '',
      },
    }
    const listeners = this.whenEnded
    this.whenEnded = []
    if (listeners.length > 0) for (const listener of listeners) listener.run()
    else this.pod.exited(this)
  }
}

const hex = (random: { uuid(): string }): string => random.uuid().replaceAll('-', '')
