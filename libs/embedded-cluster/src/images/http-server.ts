import { type Callback } from '../kernel/callback.js'
import { type Call, type Caller, type Worker } from '../traffic/call.js'
import { type Server } from '../traffic/peer.js'
import { type Destination } from '../traffic/routing.js'
import { type ProgramHost } from './program.js'
import { type ServiceTime } from './service-time.js'

export interface HttpServerOptions {
  /** On which it listens. */
  readonly ports: readonly number[] | 'all'
  /** Requests worked on at once; the rest queue in order of arrival. */
  readonly workers: number
  /** How long one request holds its worker before it makes its calls. */
  readonly work: ServiceTime
  /** CPU time that one request takes, as part of that; more passes where the container has to wait for it. */
  readonly cpuMs: number
  /** Called for each request, one after another; each a list of alternatives, of which one must answer below 500. */
  readonly calls: readonly (readonly (Destination | null)[])[]
  readonly callTimeoutMs: number
  /** Paths answered at once and without a worker. */
  readonly immediate: ReadonlySet<string>
}

/** CPU time of an answer that needs no work. */
const HEALTH_CPU_MS = 0.1

/** One request in work. */
class Work implements Worker, Caller {
  isAbandoned = false
  begun = false
  /** The call to another service that it waits for, and by which of the server's calls and alternatives it is made. */
  outgoing: Call | null = null
  index = 0
  alternative = 0

  constructor(
    private readonly server: HttpServer,
    readonly call: Call,
  ) {}

  abandoned(): void {
    this.server.abandon(this)
  }

  answered(status: number | null): void {
    this.outgoing = null
    if (status !== null && status < 500) this.server.step(this, this.index + 1, 0)
    else this.server.step(this, this.index, this.alternative + 1)
  }
}

/**
 * A server with a fixed number of workers. A request whose caller went away is dropped from the queue, or ends at the
 * next step; its sleep is not cut short.
 */
export class HttpServer implements Server {
  private readonly open = new Set<Work>()
  private waiting: Work[] = []
  private busy = 0
  private state: 'closed' | 'listening' | 'draining' | 'dead' = 'closed'
  private drained: Callback | null = null

  constructor(
    private readonly host: ProgramHost,
    private readonly options: HttpServerOptions,
  ) {}

  /** Workers that are at it, and requests that wait for one. */
  get load(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.busy, waiting: this.waiting.filter(({ isAbandoned }) => !isAbandoned).length }
  }

  listen(): void {
    this.state = 'listening'
    this.host.peer.attach(this)
  }

  /** Accepts nothing more; `drained` is run as soon as no request is open. */
  drain(drained: Callback): void {
    this.state = 'draining'
    this.host.peer.detach(this)
    this.drained = drained
    this.checkDrained()
  }

  /** Breaks every connection. */
  kill(): void {
    this.state = 'dead'
    this.host.peer.detach(this)
    for (const work of this.open) {
      work.outgoing?.cancel()
      work.call.reset()
    }
    this.open.clear()
    this.waiting = []
  }

  listens(port: number): boolean {
    return this.state === 'listening' && (this.options.ports === 'all' || this.options.ports.includes(port))
  }

  serve(call: Call): void {
    if (this.options.immediate.has(call.path)) return this.answerAtOnce(call)
    const { compute } = this.host
    compute.requestOpened()
    if (compute.outOfMemory) {
      compute.onOutOfMemory?.run()
      return call.reset()
    }
    const work = new Work(this, call)
    this.open.add(work)
    call.worker = work
    if (this.busy < this.options.workers) this.begin(work)
    else this.waiting.push(work)
  }

  /** A check of health needs no worker, but the CPU like all else. */
  private answerAtOnce(call: Call): void {
    const waits = this.host.compute.work(HEALTH_CPU_MS)
    if (waits === 0) call.respond(200)
    else this.host.kernel.after(waits, this, 'answer', call)
  }

  /** For the kernel. */
  answer(call: Call): void {
    if (this.state !== 'dead') call.respond(200)
  }

  private begin(work: Work): void {
    this.busy += 1
    work.begun = true
    const { work: serviceTime, cpuMs } = this.options
    this.host.kernel.after(serviceTime.next() + this.host.compute.work(cpuMs), this, 'step', work, 0, 0)
  }

  /** Makes call number `index`, by its alternative number `alternative`; answers after the last. Also for the kernel. */
  step(work: Work, index: number, alternative: number): void {
    if (this.state === 'dead') return
    const alternatives = this.options.calls[index]
    if (!alternatives) return this.finish(work, 200)
    if (work.isAbandoned || alternative >= alternatives.length) return this.finish(work, 502)
    const to = alternatives[alternative]
    if (!to) return this.step(work, index, alternative + 1)
    work.index = index
    work.alternative = alternative
    work.outgoing = this.host.get(to, this.options.callTimeoutMs, work)
  }

  private finish(work: Work, status: number): void {
    this.closed(work)
    this.busy -= 1
    if (!work.isAbandoned) work.call.respond(status)
    let next = this.waiting.shift()
    while (next?.isAbandoned) next = this.waiting.shift()
    if (next) this.begin(next)
    else this.checkDrained()
  }

  /** For a request whose caller has gone away. */
  abandon(work: Work): void {
    if (this.state === 'dead') return
    work.isAbandoned = true
    if (!work.begun) {
      this.closed(work)
      return this.checkDrained()
    }
    if (!work.outgoing) return
    work.outgoing.cancel()
    work.outgoing = null
    this.finish(work, 502)
  }

  private closed(work: Work): void {
    this.open.delete(work)
    this.host.compute.requestClosed()
  }

  private checkDrained(): void {
    if (this.state !== 'draining' || this.open.size > 0) return
    const drained = this.drained
    this.drained = null
    drained?.run()
  }
}
