import { type Callback } from '../kernel/callback.js'
import { type Kernel, type Timer } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { type ContainerRunner } from './container-runner.js'

interface Pod {
  readonly kernel: Kernel
  readonly random: RandomStream
  /** Nothing is started any more. */
  readonly halted: boolean
}

/** What a pod's containers do next: a newer step of one replaces what it waited for, and none is taken in a halted pod. */
export class PendingSteps {
  private readonly timers = new Map<ContainerRunner, Timer>()

  constructor(private readonly pod: Pod) {}

  has(container: ContainerRunner): boolean {
    return this.timers.has(container)
  }

  /** Appoints the container's next step, some time (in ms) from now. */
  appoint(container: ContainerRunner, range: readonly [number, number], next: Callback): void {
    this.timers.get(container)?.cancel()
    const timer = this.pod.kernel.after(this.pod.random.between(...range), this, 'take', container, next)
    this.timers.set(container, timer)
  }

  /** For the kernel. */
  take(container: ContainerRunner, next: Callback): void {
    this.timers.delete(container)
    if (!this.pod.halted) next.run()
  }

  cancelAll(): void {
    for (const timer of this.timers.values()) timer.cancel()
    this.timers.clear()
  }
}
