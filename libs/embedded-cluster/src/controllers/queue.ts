import { type Kernel, type Timer } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { ApiError } from '../store/api-error.js'
import { type Change } from '../store/object.js'
import { keyOf } from './objects.js'

/** A watch's and a worker's delay between a change and the reaction to it. */
const REACTION_MS: readonly [number, number] = [2, 20]
/** What a controller takes for each object beyond a first hundred that it has to look at. */
const BUSY_MS = 0.05
const AT_ONCE = 100
const FIRST_RETRY_MS = 5
const MAX_RETRY_MS = 1_000_000

/** Does the work of one key; 'retry' asks for another attempt soon. */
export interface Reconciler {
  reconcile(key: string): 'retry' | void
}

/**
 * A controller's work queue: keys wait once however often they are added, a key whose work fails on the API's answer
 * (or asks for a retry) is tried again with doubling delays, as controllers built on client-go do.
 */
export class WorkQueue {
  private readonly due = new Map<string, Timer>()
  private readonly failures = new Map<string, number>()
  private readonly busyUntil = new Map<string, number>()
  private readonly random: RandomStream

  constructor(
    private readonly kernel: Kernel,
    name: string,
    private readonly worker: Reconciler,
  ) {
    this.random = kernel.stream(`queue/${name}`)
  }

  /** Soon: within a reaction time. */
  add(key: string): void {
    const soon = this.random.between(...REACTION_MS)
    this.addAfter(key, Math.max(soon, (this.busyUntil.get(key) ?? 0) - this.kernel.now))
  }

  /**
   * Tells that a look at so many objects is under way: what is added meanwhile waits for its end, so that changes of a
   * set of thousands are looked at together, as a real controller does.
   */
  occupy(key: string, objects: number): void {
    if (objects > AT_ONCE) this.busyUntil.set(key, this.kernel.now + BUSY_MS * (objects - AT_ONCE))
  }

  /** Not before `ms` from now; an earlier appointment of the key stays. */
  addAfter(key: string, ms: number): void {
    const time = this.kernel.now + ms
    const waiting = this.due.get(key)
    if (waiting && waiting.time <= time) return
    waiting?.cancel()
    this.due.set(key, this.kernel.at(time, this, 'run', key))
  }

  /** For a subscription: the changed object's own key. */
  addChanged({ object }: Change): void {
    this.add(keyOf(object))
  }

  /** For the kernel: the key's time has come. */
  run(key: string): void {
    this.due.delete(key)
    this.busyUntil.delete(key)
    if (this.attempt(key)) {
      this.failures.delete(key)
      return
    }
    const failures = this.failures.get(key) ?? 0
    this.failures.set(key, failures + 1)
    this.addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS))
  }

  private attempt(key: string): boolean {
    try {
      return this.worker.reconcile(key) !== 'retry'
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }
}
