import { coerceError } from '../errors.js'
import { type Logger } from '../logging/logger.js'

/**
 * RUNNING → STOPPING → DRAINING → CLOSED, never back.
 * STOPPING: nothing new is taken (not ready, no pulls, no claims). DRAINING: what was taken is finished or handed back,
 * the outbox is flushed. CLOSED: connections are gone.
 */
export type LifecycleState = 'RUNNING' | 'STOPPING' | 'DRAINING' | 'CLOSED'

/** A part with something to do on the way down. A step that throws is logged and never keeps others from theirs. */
export interface Participant {
  readonly name: string
  /** Take nothing new. All at once, in STOPPING. */
  readonly stop?: () => void | Promise<void>
  /** Finish or hand back. In order of joining, in DRAINING, within the drain budget. */
  readonly drain?: () => void | Promise<void>
  /** Let go. In reverse order of joining, at the end. */
  readonly close?: () => void | Promise<void>
}

export interface LifecycleOptions {
  readonly log: Logger
  /** Draining is given up after this long; what is unfinished comes back by lease and redelivery. */
  readonly drainMs: number
}

/** The way down of one service. */
export class Lifecycle {
  #state: LifecycleState = 'RUNNING'
  #stopping: Promise<void> | undefined
  readonly #participants: Participant[] = []
  readonly #listeners = new Set<(state: LifecycleState) => void>()
  readonly #options: LifecycleOptions

  constructor(options: LifecycleOptions) {
    this.#options = options
  }

  get state(): LifecycleState {
    return this.#state
  }

  /** Joins. Those who join first are closed last. */
  join(participant: Participant): void {
    this.#participants.push(participant)
  }

  /** Calls `listener` at each change of state. */
  onChange(listener: (state: LifecycleState) => void): void {
    this.#listeners.add(listener)
  }

  /** Goes down, once; every caller gets the same promise, which never rejects. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#goDown())
  }

  async #goDown(): Promise<void> {
    this.#enter('STOPPING')
    await Promise.all(this.#participants.map((p) => this.#step(p, 'stop')))
    this.#enter('DRAINING')
    await this.#withinBudget(this.#drainAll())
    for (const participant of this.#participants.toReversed()) await this.#step(participant, 'close')
    this.#enter('CLOSED')
  }

  async #drainAll(): Promise<void> {
    for (const participant of this.#participants) await this.#step(participant, 'drain')
  }

  async #withinBudget(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#options.log.warn('draining was given up', { afterMs: this.#options.drainMs })
        resolve()
      }, this.#options.drainMs)
    })
    await Promise.race([work, late])
    clearTimeout(timer)
  }

  async #step(participant: Participant, name: 'stop' | 'drain' | 'close'): Promise<void> {
    try {
      await participant[name]?.()
    } catch (error) {
      const reason = coerceError(error).message
      this.#options.log.error(`a part failed to ${name}`, { part: participant.name, reason })
    }
  }

  #enter(state: LifecycleState): void {
    this.#state = state
    this.#options.log.debug('life cycle', { state })
    for (const listener of this.#listeners) listener(state)
  }
}
