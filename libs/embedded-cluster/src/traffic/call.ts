import { type Network } from './network.js'
import { type Peer } from './peer.js'
import { type Destination } from './routing.js'

/** How a call failed, as the operating system names it. */
export type CallError = 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'ENOTFOUND' | 'EAI_AGAIN'

/** Who waits for the end of a call. */
export interface Caller {
  /** Told once. */
  answered(status: number | null, error: CallError | null): void
}

/** A server that works on a call. */
export interface Worker {
  /** The caller has gone away. */
  abandoned(): void
}

/** One HTTP GET on a connection of its own, seen from both ends. */
export class Call {
  settled = false
  /** When the caller gives up, ms since epoch. */
  deadlineMs = 0
  /** Who answers, once the connection's packets are under way; null until then, or when nobody has the address. */
  to: Peer | null = null
  port = 0
  /** Ends as soon as the connection is open. */
  connectOnly = false
  /** Set by the server that works on it. */
  worker: Worker | null = null

  /** What is asked for; a fault at the other end may change it. */
  path: string

  constructor(
    private readonly network: Network,
    readonly from: Peer,
    /** As the caller wrote it. */
    readonly asked: Destination,
    private readonly caller: Caller,
  ) {
    this.path = asked.path
  }

  /** The server's answer; it travels back as a packet of its own. */
  respond(status: number): void {
    this.worker = null
    if (!this.settled) this.network.reply(this, status, null)
  }

  /** The server's end of the connection is gone. */
  reset(): void {
    this.worker = null
    if (!this.settled) this.network.reply(this, null, 'ECONNRESET')
  }

  /** Tells the caller, once. */
  settle(status: number | null, error: CallError | null): void {
    if (this.settled) return
    this.settled = true
    this.caller.answered(status, error)
  }

  /** The caller's time is up. */
  expire(): void {
    if (this.settled) return
    this.settle(null, 'ETIMEDOUT')
    this.abandon()
  }

  /** The caller goes away without wanting an answer. */
  cancel(): void {
    if (this.settled) return
    this.settled = true
    this.abandon()
  }

  private abandon(): void {
    const worker = this.worker
    this.worker = null
    worker?.abandoned()
  }
}
