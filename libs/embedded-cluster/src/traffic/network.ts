import { type Kernel } from '../kernel/kernel.js'
import { Call, type CallDone, type CallError } from './call.js'
import { LOST, packetDelay, type Peer } from './peer.js'
import { type Destination, type Route, type Routing } from './routing.js'
import { TimeoutLane } from './timeout-lane.js'

/** One packet's way between two pods, without faults. */
const ONE_WAY_MS = 0.2
/** Retransmission of the first packet of a connection, and of data (Linux: TCP_TIMEOUT_INIT, TCP_RTO_MIN). */
const SYN_RTO_MS = 1000
const DATA_RTO_MS = 200
const MAX_RTO_MS = 120_000

export interface CallOptions {
  readonly from: Peer
  readonly to: Destination
  readonly timeoutMs: number
}

/**
 * HTTP between peers. A call is four packets (SYN, SYN-ACK, request, response). Without faults at either end the first
 * three are one event; with faults each packet is its own, is delayed or lost, and is sent again as TCP does.
 */
export class Network {
  private readonly peers = new Map<string, Peer>()
  private readonly lanes = new Map<number, TimeoutLane>()

  constructor(
    private readonly kernel: Kernel,
    readonly routing: Routing,
  ) {}

  join(peer: Peer): void {
    this.peers.set(peer.ip, peer)
  }

  leave(peer: Peer): void {
    peer.gone = true
    if (this.peers.get(peer.ip) === peer) this.peers.delete(peer.ip)
  }

  peer(ip: string): Peer | undefined {
    return this.peers.get(ip)
  }

  /** Sends a GET; `done` is called once, at the latest when the time-out has passed, never synchronously. */
  get({ from, to, timeoutMs }: CallOptions, done: CallDone): Call {
    const call = new Call(this, from, to.path, done)
    this.lane(timeoutMs).add(call)
    const route = this.routing.pick(to, from)
    if (typeof route === 'string') this.fail(call, route)
    else this.connect(call, route)
    return call
  }

  /** Asks one address whether it accepts connections: kubelet's tcpSocket probe, and the start of its httpGet. */
  dial(from: Peer, route: Route, options: { path: string | null; timeoutMs: number }, done: CallDone): Call {
    const call = new Call(this, from, options.path ?? '', done)
    this.lane(options.timeoutMs).add(call)
    this.connect(call, route, options.path === null)
    return call
  }

  /** Carries an answer, or the end of the connection, back to the caller. */
  reply(call: Call, status: number | null, error: CallError | null): void {
    const { to, from } = call
    if (!to) return
    if (isClean(from, to)) this.kernel.after(ONE_WAY_MS, () => call.settle(status, error))
    else this.transmit(call, { from: to, to: from, rtoMs: DATA_RTO_MS }, () => call.settle(status, error))
  }

  private lane(timeoutMs: number): TimeoutLane {
    let lane = this.lanes.get(timeoutMs)
    if (!lane) this.lanes.set(timeoutMs, (lane = new TimeoutLane(this.kernel, timeoutMs)))
    return lane
  }

  private fail(call: Call, failure: 'unknown-host' | 'no-endpoints' | 'unreachable'): void {
    // Packets to an address that nobody has vanish: the caller's own time-out ends the call.
    if (failure === 'unreachable') return
    const error = failure === 'unknown-host' ? 'ENOTFOUND' : 'ECONNREFUSED'
    this.kernel.after(ONE_WAY_MS, () => call.settle(null, error))
  }

  private connect(call: Call, route: Route, connectOnly = false): void {
    const to = route.ip === LOCALHOST ? call.from : this.peers.get(route.ip)
    if (!to) return
    call.to = to
    call.port = route.port
    const { from } = call
    const arrive = connectOnly ? () => this.accept(call) : () => this.deliver(call)
    if (isClean(from, to)) {
      this.kernel.after(3 * ONE_WAY_MS, arrive)
      return
    }
    this.transmit(call, { from, to, rtoMs: SYN_RTO_MS }, () => {
      if (to.gone) return
      if (!to.server(call.port)) return this.reply(call, null, 'ECONNREFUSED')
      this.transmit(call, { from: to, to: from, rtoMs: SYN_RTO_MS }, () => {
        if (connectOnly) return call.settle(200, null)
        this.transmit(call, { from, to, rtoMs: DATA_RTO_MS }, arrive)
      })
    })
  }

  private accept(call: Call): void {
    const to = call.to
    if (call.settled || !to || to.gone) return
    if (to.server(call.port)) call.settle(200, null)
    else call.settle(null, 'ECONNREFUSED')
  }

  private deliver(call: Call): void {
    const to = call.to
    if (call.settled || !to || to.gone) return
    const server = to.server(call.port)
    if (server) server.serve(call)
    else this.reply(call, null, 'ECONNREFUSED')
  }

  private transmit(call: Call, packet: { from: Peer; to: Peer; rtoMs: number }, arrived: () => void): void {
    const delay = packetDelay(packet.from, packet.to)
    if (delay !== LOST) {
      this.kernel.after(ONE_WAY_MS + delay, arrived)
      return
    }
    this.kernel.after(packet.rtoMs, () => {
      if (call.settled) return
      this.transmit(call, { ...packet, rtoMs: Math.min(2 * packet.rtoMs, MAX_RTO_MS) }, arrived)
    })
  }
}

const LOCALHOST = '127.0.0.1'

const isClean = (a: Peer, b: Peer): boolean => a === b || (a.rules.length === 0 && b.rules.length === 0)
