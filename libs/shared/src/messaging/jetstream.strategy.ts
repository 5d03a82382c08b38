import { type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import { Server, type CustomTransportStrategy } from '@nestjs/microservices'
import { lastValueFrom } from 'rxjs'
import { coerceError, TerminalError } from '../errors.js'
import { STREAM, subscriptions } from '../events/catalogue.js'
import { type Envelope } from '../events/envelope.js'
import { type Accepted } from '../service/definition.js'
import { deliver, type DeliveryDeps } from './delivery.js'
import { KeyedQueue } from './keyed-queue.js'
import { Slots } from './slots.js'
import { ensureConsumer } from './topology.js'

/** What the strategy needs besides Nest's handlers. */
export type JetStreamStrategyOptions = Omit<DeliveryDeps, 'decide'> & { readonly concurrency: number }

/** How long a message that came while stopping stays away: another replica has it by then. */
const HAND_BACK_MS = 500
const CONSUME_AGAIN_MS = 1000

const cycleOf = (subject: string): string => subject.split('.').slice(1, 3).join('.')

/**
 * Nest's transport over JetStream: pulls from the service's durable consumer, a bounded number of messages at once, those
 * of one cycle in order. Nest's own NATS transport acknowledges nothing, hence this one (ADR 1).
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  readonly #options: JetStreamStrategyOptions
  readonly #queue = new KeyedQueue()
  readonly #slots: Slots
  readonly #deps: DeliveryDeps
  #messages: ConsumerMessages | undefined
  #stopping = false
  #closed = false

  constructor(options: JetStreamStrategyOptions) {
    super()
    this.#options = options
    this.#slots = new Slots(options.concurrency)
    this.#deps = { ...options, decide: (message) => this.#decide(message) }
  }

  /** Called by Nest when every handler is registered. */
  listen(callback: (error?: unknown) => void): void {
    this.#start().then(() => callback(), callback)
  }

  /** Takes nothing new; what comes all the same is handed back. */
  stopPulling(): void {
    this.#stopping = true
  }

  /** Waits for the deliveries in hand. */
  drain(): Promise<void> {
    return this.#queue.idle()
  }

  /** Called by Nest when the application closes. */
  close(): void {
    this.#stopping = true
    this.#closed = true
    this.#messages?.stop()
  }

  // Nest's transports may tell about their connection; the broker logs it already.
  on(): never {
    throw new Error('the JetStream strategy emits no events')
  }

  unwrap<T>(): T {
    return this.#options.broker.connection as T
  }

  async #start(): Promise<void> {
    this.#checkHandlers()
    await ensureConsumer(this.#options.broker, this.#options.service)
    await this.#open()
    void this.#pull()
  }

  #checkHandlers(): void {
    const { service } = this.#options
    const missing = subscriptions[service].filter((key) => !this.messageHandlers.has(key))
    const twice = [...this.messageHandlers].filter(([, handler]) => handler.next).map(([key]) => key)
    if (missing.length > 0) throw new TerminalError('handler-missing', `${service} handles no ${missing.join(', ')}`)
    if (twice.length > 0) throw new TerminalError('handler-twice', `${service} handles ${twice.join(', ')} twice`)
  }

  async #open(): Promise<ConsumerMessages> {
    const { broker, service, concurrency } = this.#options
    const consumer = await broker.jetstream.consumers.get(STREAM, service)
    this.#messages = await consumer.consume({ max_messages: concurrency * 2, abort_on_missing_resource: true })
    return this.#messages
  }

  /** Consumes for as long as the application runs, anew when the subscription breaks. */
  async #pull(): Promise<void> {
    for (let messages = this.#messages; !this.#closed; messages = await this.#reopen()) {
      try {
        for await (const message of messages ?? []) await this.#take(message)
      } catch (error) {
        this.#options.log.warn('pulling messages was interrupted', { reason: coerceError(error).message })
      }
    }
  }

  async #reopen(): Promise<ConsumerMessages | undefined> {
    if (this.#closed) return undefined
    await new Promise((resolve) => setTimeout(resolve, CONSUME_AGAIN_MS))
    try {
      await ensureConsumer(this.#options.broker, this.#options.service)
      return await this.#open()
    } catch (error) {
      this.#options.log.warn('the consumer could not be opened', { reason: coerceError(error).message })
      return undefined
    }
  }

  async #take(message: JsMsg): Promise<void> {
    await this.#slots.take()
    if (this.#stopping) {
      message.nak(HAND_BACK_MS)
      this.#slots.give()
      return
    }
    const work = (): Promise<void> => deliver(this.#deps, message).finally(() => this.#slots.give())
    void this.#queue.run(cycleOf(message.subject), work)
  }

  async #decide(message: Envelope): Promise<Accepted> {
    const handler = this.getHandlerByPattern(message.type)
    if (!handler) throw new TerminalError('handler-missing', `nobody handles ${message.type}`)
    const answer: unknown = await handler(message)
    return lastValueFrom(this.transformToObservable<Accepted>(answer as Promise<Accepted>))
  }
}
