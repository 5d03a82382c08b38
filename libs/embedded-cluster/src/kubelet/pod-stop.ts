import { callback, type Callback } from '../kernel/callback.js'
import { type Kernel } from '../kernel/kernel.js'
import { type ContainerRunner } from './container-runner.js'
import { LEAST_GRACE_SECONDS } from './pod-timings.js'
import { preStopMs } from './pre-stop.js'

/** What follows when all containers have ended: the pod stays as a record, or goes. */
export type Afterwards = 'leave' | 'tearDown'

/** Containers that end together. */
interface Stopping {
  left: number
  readonly index: number
  readonly done: Afterwards
}

interface Pod {
  readonly kernel: Kernel
  /** Init containers, sidecars among them, and containers. */
  readonly all: readonly ContainerRunner[]
  readonly initContainers: readonly ContainerRunner[]
  /** Of its spec, in seconds. */
  readonly graceSeconds: number
  record(container: string, type: 'Normal' | 'Warning', reason: string, message: string): void
  changed(when: 'now' | 'relist'): void
  /** All its containers have ended. */
  stopped(done: Afterwards): void
}

/** How a pod's containers are stopped: together, then the sidecars, the last of them first, in what is left of the grace. */
export class PodStop {
  /** When the grace period of the whole pod ends; never, while nothing ends it. */
  deadlineMs = Infinity
  /** Containers that were asked to stop for good. */
  private readonly asked: ContainerRunner[] = []

  constructor(private readonly pod: Pod) {}

  /** Stops everything, within `graceMs` from now if that is given. */
  all(done: Afterwards, graceMs: number | null): void {
    if (graceMs !== null) this.deadlineMs = this.pod.kernel.now + graceMs
    this.group(0, done)
  }

  /** Gives those that are asked already less time. */
  hasten(graceMs: number): void {
    this.deadlineMs = this.pod.kernel.now + graceMs
    for (const container of this.asked) this.one(container, graceMs / 1000, callback(this.pod, 'changed', 'now'))
  }

  /** Stops one container: its preStop hook first, in the same grace period. */
  one(container: ContainerRunner, graceSeconds: number, ended: Callback): void {
    const { kernel } = this.pod
    const graceMs = Math.max(graceSeconds, LEAST_GRACE_SECONDS) * 1000
    const sleepMs = container.running ? Math.min(preStopMs(container.spec), graceMs) : 0
    if (sleepMs === 0) return container.stop(graceMs, ended)
    if (preStopMs(container.spec) > graceMs) kernel.after(graceMs, this, 'preStopCutOff', container)
    const leftMs = Math.max(graceMs - sleepMs, LEAST_GRACE_SECONDS * 1000)
    kernel.after(sleepMs, container, 'stop', leftMs, ended)
  }

  /** For the kernel. */
  preStopCutOff({ spec }: ContainerRunner): void {
    this.pod.record(spec.name, 'Warning', 'FailedPreStopHook', 'PreStopHook failed')
  }

  private group(index: number, done: Afterwards): void {
    const { all, initContainers, kernel, graceSeconds } = this.pod
    const sidecars = initContainers.filter(({ isSidecar }) => isSidecar).reverse()
    const group = index === 0 ? all.filter((container) => !container.isSidecar) : sidecars.slice(index - 1, index)
    if (group.length === 0) return this.pod.stopped(done)
    const leftMs = Number.isFinite(this.deadlineMs) ? this.deadlineMs - kernel.now : graceSeconds * 1000
    const stopping: Stopping = { left: group.length, index, done }
    for (const container of group) {
      const { name } = container.spec
      if (container.running) this.pod.record(name, 'Normal', 'Killing', `Stopping container ${name}`)
      this.asked.push(container)
      this.one(container, leftMs / 1000, callback(this, 'stoppedOne', stopping))
    }
  }

  stoppedOne(stopping: Stopping): void {
    this.pod.changed('now')
    stopping.left -= 1
    if (stopping.left === 0) this.group(stopping.index + 1, stopping.done)
  }
}
