import { invoke, type Receiver } from './callback.js'
import { DueHeap, type Due } from './heap.js'
import { RandomStream } from './random.js'

interface TimedCall {
  readonly receiver: object
  readonly method: string
  readonly args: readonly unknown[]
}

/** A method call that is due at a virtual time. */
export class Timer implements Due {
  private receiver: object | null
  private readonly method: string
  private readonly args: readonly unknown[]

  /** For the kernel only, which sees to it that receiver, method and arguments fit. */
  constructor(
    private readonly kernel: Kernel,
    readonly time: number,
    readonly sequence: number,
    call: TimedCall,
  ) {
    this.receiver = call.receiver
    this.method = call.method
    this.args = call.args
  }

  /** False once it has fired or was cancelled. */
  get pending(): boolean {
    return this.receiver !== null
  }

  /** The call will not be made; harmless when it already was. */
  cancel(): void {
    if (this.receiver === null) return
    this.receiver = null
    this.kernel.countCancelled()
  }

  /** For the kernel only: makes the call once. */
  fire(): void {
    const receiver = this.receiver
    this.receiver = null
    if (receiver !== null) invoke(receiver, this.method, this.args)
  }
}

export interface RunOptions {
  /** Asked between instants only: all events of one instant run before it can end the run. */
  stop?: () => boolean
  /** Gives control back after so many events, so that a host can serve its own event loop. */
  maxEvents?: number
}

/** Why a run gave control back: time reached, `stop` said so, or `maxEvents` were run (call again to go on). */
export type RunEnd = 'reached' | 'stopped' | 'paused'

/** Cancelled timers are swept out of the heap when they are this many and more than half of it. */
const SWEEP_MINIMUM = 1024

/**
 * The discrete-event kernel: virtual time stands still except inside `runUntil`, where it jumps from event to event.
 * Events of one instant run in the order in which they were scheduled. Everything random comes from named streams of
 * one seed, so the same seed and the same calls give the same history.
 */
export class Kernel {
  private readonly heap = new DueHeap<Timer>()
  private readonly streams = new Map<string, RandomStream>()
  private seed: number
  private time: number
  private sequence = 0
  private cancelled = 0
  private running = false
  private fired = 0

  constructor(options: { startMs: number; seed: number }) {
    this.time = options.startMs
    this.seed = options.seed
  }

  /** Milliseconds since the Unix epoch; may be fractional. */
  get now(): number {
    return this.time
  }

  /** How many events have run; cancelled ones do not count. */
  get eventsRun(): number {
    return this.fired
  }

  /** When the next event is due, or null when none is. */
  get nextAt(): number | null {
    return this.next()?.time ?? null
  }

  /**
   * Calls the receiver's method at a virtual time; a time that has passed means now, after what is already due. What
   * waits is data, so that a fork has it too: functions cannot be scheduled.
   */
  at<M extends string, const A extends unknown[]>(
    timeMs: number,
    receiver: Receiver<M, NoInfer<A>>,
    method: M,
    ...args: A
  ): Timer {
    return this.schedule(timeMs, { receiver, method, args })
  }

  /** Calls the receiver's method `ms` milliseconds from now. */
  after<M extends string, const A extends unknown[]>(
    ms: number,
    receiver: Receiver<M, NoInfer<A>>,
    method: M,
    ...args: A
  ): Timer {
    return this.schedule(this.time + ms, { receiver, method, args })
  }

  /** Draws from another seed from now on, in every stream. */
  reseed(seed: number): void {
    this.seed = seed
    for (const [name, stream] of this.streams) stream.reseed(seed, name)
  }

  /** True while events run. */
  get isRunning(): boolean {
    return this.running
  }

  /** The stream of that name, always the same one. */
  stream(name: string): RandomStream {
    let stream = this.streams.get(name)
    if (!stream) this.streams.set(name, (stream = new RandomStream(this.seed, name)))
    return stream
  }

  /**
   * Runs every event up to and including `timeMs`, then sets the clock there. An exception of an event ends the run
   * and is passed on; the event counts as done. Must not be called from within an event.
   */
  runUntil(timeMs: number, options: RunOptions = {}): RunEnd {
    if (this.running) throw new Error('the kernel is already running: events may schedule, not run')
    this.running = true
    try {
      return this.loop(timeMs, options.stop, options.maxEvents ?? Infinity)
    } finally {
      this.running = false
    }
  }

  private schedule(timeMs: number, call: TimedCall): Timer {
    if (Number.isNaN(timeMs)) throw new RangeError('a timer needs a time')
    const timer = new Timer(this, Math.max(timeMs, this.time), this.sequence++, call)
    this.heap.push(timer)
    return timer
  }

  private loop(timeMs: number, stop: (() => boolean) | undefined, maxEvents: number): RunEnd {
    let budget = maxEvents
    for (;;) {
      const timer = this.next()
      const later = timer === undefined || timer.time > this.time
      if (later && stop?.()) return 'stopped'
      if (timer === undefined || timer.time > timeMs) {
        this.time = Math.max(this.time, timeMs)
        return 'reached'
      }
      if (budget-- <= 0) return 'paused'
      this.heap.pop()
      this.time = timer.time
      this.fired++
      timer.fire()
    }
  }

  /** The next timer that was not cancelled, still in the heap. */
  private next(): Timer | undefined {
    let timer = this.heap.peek()
    while (timer !== undefined && !timer.pending) {
      this.heap.pop()
      this.cancelled--
      timer = this.heap.peek()
    }
    return timer
  }

  /** For timers only: one of them will not fire. */
  countCancelled(): void {
    this.cancelled++
    if (this.cancelled < SWEEP_MINIMUM || this.cancelled * 2 < this.heap.size) return
    this.heap.filter((timer) => timer.pending)
    this.cancelled = 0
  }
}
