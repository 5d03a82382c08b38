import { type Call } from '../traffic/call.js'
import { type Server } from '../traffic/peer.js'
import { type Destination } from '../traffic/routing.js'
import { type ProgramHost } from './program.js'

export interface HttpServerOptions {
  /** Whether the program listens on a port. */
  listens(port: number): boolean
  /** Requests worked on at once; the rest queue in order of arrival. */
  readonly workers: number
  /** How long one request holds its worker before it makes its calls. */
  readonly workMs: number
  /** Called for each request, one after another; each a list of alternatives, of which one must answer below 500. */
  readonly calls: readonly (readonly (Destination | null)[])[]
  readonly callTimeoutMs: number
  /** Paths answered at once and without a worker. */
  readonly immediate: ReadonlySet<string>
}

/** One request in work. */
class Work {
  abandoned = false
  begun = false
  /** The call to another service that it waits for. */
  outgoing: Call | null = null

  constructor(readonly call: Call) {}
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
  private drained: (() => void) | null = null

  constructor(
    private readonly host: ProgramHost,
    private readonly options: HttpServerOptions,
  ) {}

  listen(): void {
    this.state = 'listening'
    this.host.peer.attach(this)
  }

  /** Accepts nothing more; `drained` is called as soon as no request is open. */
  drain(drained: () => void): void {
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
    return this.state === 'listening' && this.options.listens(port)
  }

  serve(call: Call): void {
    if (this.options.immediate.has(call.path)) return call.respond(200)
    const work = new Work(call)
    this.open.add(work)
    call.onAbandoned = () => this.abandon(work)
    if (this.busy < this.options.workers) this.begin(work)
    else this.waiting.push(work)
  }

  private begin(work: Work): void {
    this.busy += 1
    work.begun = true
    this.host.kernel.after(this.options.workMs, () => this.step(work, 0, 0))
  }

  /** Makes call number `index`, by its alternative number `alternative`; answers after the last. */
  private step(work: Work, index: number, alternative: number): void {
    if (this.state === 'dead') return
    const alternatives = this.options.calls[index]
    if (!alternatives) return this.finish(work, 200)
    if (work.abandoned || alternative >= alternatives.length) return this.finish(work, 502)
    const to = alternatives[alternative]
    if (!to) return this.step(work, index, alternative + 1)
    work.outgoing = this.host.get(to, this.options.callTimeoutMs, (status) => {
      work.outgoing = null
      if (status !== null && status < 500) this.step(work, index + 1, 0)
      else this.step(work, index, alternative + 1)
    })
  }

  private finish(work: Work, status: number): void {
    this.open.delete(work)
    this.busy -= 1
    if (!work.abandoned) work.call.respond(status)
    let next = this.waiting.shift()
    while (next?.abandoned) next = this.waiting.shift()
    if (next) this.begin(next)
    else this.checkDrained()
  }

  private abandon(work: Work): void {
    if (this.state === 'dead') return
    work.abandoned = true
    if (!work.begun) {
      this.open.delete(work)
      return this.checkDrained()
    }
    if (!work.outgoing) return
    work.outgoing.cancel()
    work.outgoing = null
    this.finish(work, 502)
  }

  private checkDrained(): void {
    if (this.state !== 'draining' || this.open.size > 0) return
    const drained = this.drained
    this.drained = null
    drained?.()
  }
}
