import { type Callback } from '../kernel/callback.js'
import { type NodeCompute } from './node-compute.js'
import { UsageMeter } from './usage-meter.js'

/** The kernel accounts a CPU limit over so long (CFS period). */
const PERIOD_MS = 100
/** Any running process uses a little, as measured on a real node. */
const IDLE_CORES = 0.001

export interface ComputeLimits {
  /** Cores that it may use; null without a limit. */
  readonly cpuLimit: number | null
  /** Cores that it asked for, which is its weight where nodes run short. */
  readonly cpuRequest: number
  /** Bytes at which the kernel kills it; null without a limit. */
  readonly memoryLimit: number | null
  /** Bytes that its program holds when it does nothing. */
  readonly baseMemory: number
  /** Bytes that one open request holds besides. */
  readonly requestMemory: number
}

/** Load that a fault puts into a container's control group. */
export interface Stress {
  readonly source: string
  /** Threads that want a core, and the cores that they would use together. */
  readonly threads: number
  readonly cores: number
  readonly memoryBytes: number
}

/**
 * CPU and memory of one running container. A limit is a quota per period: what is used up waits for the next. Stress
 * shares quota and memory with the program, since it runs in the same control group, and ends with the container.
 */
export class ContainerCompute {
  readonly cpu: UsageMeter
  private stresses: readonly Stress[] = []
  private threads = 0
  private demand = 0
  private stressBytes = 0
  private openRequests = 0
  /** Milliseconds of CPU left of the quota; below zero what later periods owe. */
  private quotaLeft: number
  private quotaAt: number

  private readonly startedAt: number
  /** Told when the kernel has to kill it. */
  onOutOfMemory: Callback | null = null

  constructor(
    private readonly node: NodeCompute,
    readonly limits: ComputeLimits,
  ) {
    this.startedAt = node.now
    this.cpu = new UsageMeter(node.now)
    this.cpu.setRate(node.now, IDLE_CORES)
    this.quotaLeft = (limits.cpuLimit ?? 0) * PERIOD_MS
    this.quotaAt = node.now
  }

  /** Bytes that its node has. */
  get nodeMemory(): number {
    return this.node.memoryBytes
  }

  /** Cores that its stress would use, were there no others. */
  get stressDemand(): number {
    return Math.min(this.demand, this.limits.cpuLimit ?? Infinity)
  }

  get stressThreads(): number {
    return this.threads
  }

  /** Bytes in use. */
  get memory(): number {
    return this.limits.baseMemory + this.stressBytes + this.openRequests * this.limits.requestMemory
  }

  /** Uses more than it may. */
  get outOfMemory(): boolean {
    return this.limits.memoryLimit !== null && this.memory > this.limits.memoryLimit
  }

  /** A request was taken in, or has gone: it holds memory in between. */
  requestOpened(): void {
    this.openRequests += 1
  }

  requestClosed(): void {
    this.openRequests -= 1
  }

  stress(stress: Stress): void {
    this.setStresses([...this.stresses, stress])
  }

  unstress(source: string): void {
    this.setStresses(this.stresses.filter((one) => one.source !== source))
  }

  /** The container has ended: nothing of it runs on. */
  end(): void {
    this.setStresses([])
    this.node.left(this)
  }

  /** Does work of so many CPU milliseconds; returns how much longer it takes than on an idle node, in ms. */
  work(cpuMs: number): number {
    const { now } = this.node
    this.cpu.add(now, cpuMs)
    const waits = this.node.wait(this, cpuMs)
    if (this.limits.cpuLimit === null) return waits
    return waits + (this.throttledByStress ? this.pauseOfPeriod(now) : this.throttle(cpuMs, now))
  }

  /** Told by the node: cores that the stress really gets. */
  settleStress(cores: number): void {
    this.cpu.setRate(this.node.now, IDLE_CORES + cores)
  }

  private setStresses(stresses: readonly Stress[]): void {
    if (stresses.length === 0 && this.stresses.length === 0) return
    this.stresses = stresses
    this.threads = sum(stresses.map(({ threads }) => threads))
    this.demand = sum(stresses.map(({ cores }) => cores))
    this.stressBytes = sum(stresses.map(({ memoryBytes }) => memoryBytes))
    this.node.stressChanged()
    if (this.outOfMemory) this.onOutOfMemory?.run()
  }

  private get throttledByStress(): boolean {
    return this.demand >= (this.limits.cpuLimit ?? Infinity)
  }

  /** Its stress uses the quota up early in each period; whoever comes later waits for the next. */
  private pauseOfPeriod(nowMs: number): number {
    const running = ((this.limits.cpuLimit ?? 0) * PERIOD_MS) / Math.min(this.demand, this.node.cores)
    const position = (nowMs - this.startedAt) % PERIOD_MS
    return position < running ? 0 : PERIOD_MS - position
  }

  /** The quota as a bucket that refills at the limit, less what stress below the limit takes. */
  private throttle(cpuMs: number, nowMs: number): number {
    const limit = this.limits.cpuLimit ?? 0
    const refill = limit - this.demand
    this.quotaLeft = Math.min(limit * PERIOD_MS, this.quotaLeft + refill * (nowMs - this.quotaAt)) - cpuMs
    this.quotaAt = nowMs
    return this.quotaLeft < 0 ? -this.quotaLeft / refill : 0
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
