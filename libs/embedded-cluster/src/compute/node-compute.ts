import { ContainerCompute, type ComputeLimits } from './container-compute.js'

/** Linux gives a control group that asks for nothing two shares of 1,024 per core. */
const LEAST_WEIGHT = 2 / 1024

/** CPU of one node, which containers share by weight when it runs short. */
export class NodeCompute {
  private readonly containers = new Set<ContainerCompute>()
  /** Cores that stress leaves to programs, and how those beside stress in their own control group are slowed down. */
  private capacity: number
  private readonly slowdown = new Map<ContainerCompute, number>()
  /** Work that waits for a core, in CPU milliseconds, at `backlogAt`. */
  private backlog = 0
  private backlogAt = 0

  constructor(
    private readonly clock: { readonly now: number },
    readonly cores: number,
    readonly memoryBytes: number,
  ) {
    this.capacity = cores
  }

  get now(): number {
    return this.clock.now
  }

  /** A container starts. */
  enter(limits: ComputeLimits): ContainerCompute {
    const container = new ContainerCompute(this, limits)
    this.containers.add(container)
    return container
  }

  left(container: ContainerCompute): void {
    this.containers.delete(container)
  }

  /** How long work waits for cores that others use, in ms. */
  wait(container: ContainerCompute, cpuMs: number): number {
    const nowMs = this.clock.now
    const left = this.backlog - this.capacity * (nowMs - this.backlogAt)
    this.backlogAt = nowMs
    if (left <= 0 && this.slowdown.size === 0) {
      this.backlog = cpuMs
      return 0
    }
    const waiting = Math.max(0, left)
    this.backlog = waiting + cpuMs
    return waiting / this.capacity + cpuMs * (this.slowdown.get(container) ?? 0)
  }

  /** Divides the cores anew. */
  stressChanged(): void {
    const stressed = [...this.containers].filter(({ stressThreads }) => stressThreads > 0)
    const given = share(this.cores, stressed)
    this.slowdown.clear()
    for (const container of this.containers) container.settleStress(given.get(container) ?? 0)
    for (const container of stressed)
      this.slowdown.set(container, slowdownOf(container, given.get(container) ?? 0, this.cores))
    const total = [...given.values()].reduce((sum, cores) => sum + cores, 0)
    // Programs that sleep come first when they wake up: stress never takes their weight's worth of cores.
    const others = [...this.containers].filter((one) => one.stressThreads === 0)
    this.capacity = Math.max(this.cores - total, guaranteed(this.cores, others, stressed))
  }

  /** Bytes in use by all containers. */
  get memory(): number {
    let total = 0
    for (const { memory } of this.containers) total += memory
    return total
  }
}

/** Each gets what it wants or, where that is too much, its weight's share of what the others leave. */
function share(cores: number, wanting: readonly ContainerCompute[]): Map<ContainerCompute, number> {
  const given = new Map<ContainerCompute, number>()
  let open = [...wanting]
  let left = cores
  while (open.length > 0) {
    const weight = open.reduce((sum, one) => sum + weightOf(one), 0)
    const content = open.filter((one) => one.stressDemand <= (left * weightOf(one)) / weight)
    const settled = content.length > 0 ? content : open
    const before = left
    for (const one of settled) {
      const cores = content.length > 0 ? one.stressDemand : (before * weightOf(one)) / weight
      given.set(one, cores)
      left -= cores
    }
    open = open.filter((one) => !settled.includes(one))
  }
  return given
}

/** How many times longer the program's own work takes beside the stress in its control group. */
function slowdownOf({ stressThreads }: ContainerCompute, given: number, cores: number): number {
  const idle = Math.max(0, cores - given)
  const speed = Math.min(1, idle + given / (stressThreads + 1))
  return speed > 0 ? 1 / speed - 1 : 0
}

function guaranteed(cores: number, others: readonly ContainerCompute[], stressed: readonly ContainerCompute[]): number {
  const weight = (list: readonly ContainerCompute[]) => list.reduce((sum, one) => sum + weightOf(one), 0)
  const own = weight(others)
  return own === 0 ? cores * 0.01 : (cores * own) / (own + weight(stressed))
}

const weightOf = ({ limits }: ContainerCompute): number => Math.max(limits.cpuRequest, LEAST_WEIGHT)
