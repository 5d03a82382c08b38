import { type Kernel } from '../kernel/kernel.js'
import { Call, type Caller, type CallError } from './call.js'
import { httpVerdict } from './http-rules.js'
import { nameVerdict } from './name-rules.js'
import { type NetworkPolicies } from './network-policies.js'
import { LOST, packetDelay, REJECTED, type Peer } from './peer.js'
import { type Destination, isAddress, type NoRoute, type Route, type Routing } from './routing.js'
import { TimeoutLane } from './timeout-lane.js'

/** One packet's way between two pods, without faults. */
const ONE_WAY_MS = 0.2
/** Retransmission of the first packet of a connection, and of data (Linux: TCP_TIMEOUT_INIT, TCP_RTO_MIN). */
const SYN_RTO_MS = 1000
const DATA_RTO_MS = 200
const MAX_RTO_MS = 120_000
/** Bytes of a packet that opens a connection, and of one with a request or an answer. */
const SYN_BYTES = 74
const DATA_BYTES = 400

export interface CallOptions {
  readonly from: Peer
  readonly to: Destination
  readonly timeoutMs: number
}

/** What the arrival of a packet sets off. */
type Arrival = 'connect' | 'connected' | 'request' | 'answer'

/** A packet on its way under faults. */
interface Packet {
  readonly from: Peer
  readonly to: Peer
  readonly rtoMs: number
  readonly arrival: Arrival
  readonly answer: Answer
}
interface Answer {
  readonly status: number | null
  readonly error: CallError | null
}
const NO_ANSWER: Answer = Object.freeze({ status: null, error: null })

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
    readonly policies: NetworkPolicies,
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

  /** Sends a GET; `caller` is told once, at the latest when the time-out has passed, never synchronously. */
  get({ from, to, timeoutMs }: CallOptions, caller: Caller): Call {
    const call = new Call(this, from, to, caller)
    this.lane(timeoutMs).add(call)
    const route = this.resolve(to, from)
    if (typeof route === 'string') this.fail(call, route)
    else this.connect(call, route)
    return call
  }

  /** Where the connection goes; faults on names, and policies that keep name servers away, come first. */
  private resolve(to: Destination, from: Peer): Route | NoRoute {
    if (from.nameRules.length > 0 && !isAddress(to.host)) {
      const { host } = to
      const { namespace } = from
      const verdict = nameVerdict(from.nameRules, { host, namespace }, (name) => this.routing.knows(name))
      if (verdict !== null) return verdict === 'error' ? 'lookup-failed' : 'unreachable'
    }
    if (this.policies.active && !isAddress(to.host) && !this.policies.mayAskNames(from)) return 'unreachable'
    return this.routing.pick(to, from)
  }

  /** Asks one address whether it accepts connections: kubelet's tcpSocket probe, and the start of its httpGet. */
  dial(from: Peer, route: Route, options: { path: string | null; timeoutMs: number }, caller: Caller): Call {
    const call = new Call(this, from, { host: route.ip, port: route.port, path: options.path ?? '' }, caller)
    call.connectOnly = options.path === null
    this.lane(options.timeoutMs).add(call)
    this.connect(call, route)
    return call
  }

  /** Carries an answer, or the end of the connection, back to the caller. */
  reply(call: Call, status: number | null, error: CallError | null): void {
    const { to, from } = call
    if (!to) return
    if (to.httpRules.length > 0 && status !== null) this.answerFaulted(call, to, status)
    else if (isClean(from, to)) this.kernel.after(ONE_WAY_MS, call, 'settle', status, error)
    else this.transmit(call, { from: to, to: from, rtoMs: DATA_RTO_MS, arrival: 'answer', answer: { status, error } })
  }

  /** A fault may change, delay or cut off the answer on its way out of the pod. */
  private answerFaulted(call: Call, to: Peer, given: number): void {
    const { port, path } = call
    const verdict = httpVerdict(to.httpRules, { target: 'Response', port, path, status: given })
    const cut = { status: null, error: 'ECONNRESET' } as const
    const answer = verdict.abort ? cut : { status: verdict.status, error: null }
    const packet = { from: to, to: call.from, rtoMs: DATA_RTO_MS, arrival: 'answer', answer } as const
    this.kernel.after(verdict.delayMs, this, 'transmit', call, packet)
  }

  private lane(timeoutMs: number): TimeoutLane {
    let lane = this.lanes.get(timeoutMs)
    if (!lane) this.lanes.set(timeoutMs, (lane = new TimeoutLane(this.kernel, timeoutMs)))
    return lane
  }

  private fail(call: Call, failure: NoRoute): void {
    // Packets to an address that nobody has vanish: the caller's own time-out ends the call.
    if (failure === 'unreachable') return
    this.kernel.after(ONE_WAY_MS, call, 'settle', null, NO_ROUTE_ERRORS[failure])
  }

  private connect(call: Call, route: Route): void {
    const to = route.ip === LOCALHOST ? call.from : this.peers.get(route.ip)
    if (!to) return
    call.to = to
    call.port = route.port
    // A policy drops packets without a word, as network plug-ins do.
    if (this.policies.active && !this.policies.allow(call.from, to, route.port)) return
    if (isClean(call.from, to)) this.kernel.after(3 * ONE_WAY_MS, this, call.connectOnly ? 'accept' : 'deliver', call)
    else this.send(call, SYN_RTO_MS, 'connect')
  }

  /** For the kernel: a packet has reached its end. */
  arrive(call: Call, { arrival, answer }: Packet): void {
    switch (arrival) {
      case 'connect':
        return this.acceptOrRefuse(call)
      case 'connected':
        return call.connectOnly ? call.settle(200, null) : this.send(call, DATA_RTO_MS, 'request')
      case 'request':
        return this.deliver(call)
      case 'answer':
        return call.settle(answer.status, answer.error)
    }
  }

  private acceptOrRefuse(call: Call): void {
    const to = call.to
    if (!to || to.gone) return
    if (!to.server(call.port)) return this.reply(call, null, 'ECONNREFUSED')
    const packet = { from: to, to: call.from, rtoMs: SYN_RTO_MS, arrival: 'connected', answer: NO_ANSWER } as const
    this.transmit(call, packet)
  }

  /** For the kernel: the end of a connection that is only tried. */
  accept(call: Call): void {
    const to = call.to
    if (call.settled || !to || to.gone) return
    if (to.server(call.port)) call.settle(200, null)
    else call.settle(null, 'ECONNREFUSED')
  }

  /** Hands the request to the server; also for the kernel. */
  deliver(call: Call): void {
    const to = call.to
    if (call.settled || !to || to.gone) return
    if (!to.server(call.port)) this.reply(call, null, 'ECONNREFUSED')
    else if (to.httpRules.length > 0) this.serveFaulted(call, to)
    else this.serve(call)
  }

  /** A fault may change, delay or cut off the request before the program has it. */
  private serveFaulted(call: Call, to: Peer): void {
    const { port, path: asked } = call
    const { abort, delayMs, path } = httpVerdict(to.httpRules, { target: 'Request', port, path: asked, status: 0 })
    if (abort) return this.reply(call, null, 'ECONNRESET')
    call.path = path
    this.kernel.after(delayMs, this, 'serve', call)
  }

  /** Hands the request to the program; also for the kernel. */
  serve(call: Call): void {
    const server = call.settled || call.to?.gone ? null : call.to?.server(call.port)
    if (server) server.serve(call)
    else this.reply(call, null, 'ECONNREFUSED')
  }

  /** From the caller to the server's end. */
  private send(call: Call, rtoMs: number, arrival: Arrival): void {
    if (call.to) this.transmit(call, { from: call.from, to: call.to, rtoMs, arrival, answer: NO_ANSWER })
  }

  /** Sends a packet under faults; also for the kernel. */
  transmit(call: Call, packet: Packet): void {
    const bytes = packet.rtoMs === SYN_RTO_MS ? SYN_BYTES : DATA_BYTES
    const delay = packetDelay({ from: packet.from, to: packet.to, bytes }, this.kernel.now)
    if (delay === REJECTED) this.rejected(call, packet.from)
    else if (delay === LOST) this.kernel.after(packet.rtoMs, this, 'retransmit', call, packet)
    else this.kernel.after(ONE_WAY_MS + delay, this, 'arrive', call, packet)
  }

  /** For the kernel: a lost packet is sent again, after twice the time if it is lost again. */
  retransmit(call: Call, packet: Packet): void {
    if (!call.settled) this.transmit(call, { ...packet, rtoMs: Math.min(2 * packet.rtoMs, MAX_RTO_MS) })
  }

  /** The sender of the packet learns at once that it does not get through; only a caller tells its program so. */
  private rejected(call: Call, sender: Peer): void {
    if (sender === call.from) this.kernel.after(ONE_WAY_MS, call, 'settle', null, 'ECONNREFUSED')
  }
}

const NO_ROUTE_ERRORS: Readonly<Record<Exclude<NoRoute, 'unreachable'>, CallError>> = {
  'unknown-host': 'ENOTFOUND',
  'lookup-failed': 'EAI_AGAIN',
  'no-endpoints': 'ECONNREFUSED',
}

const LOCALHOST = '127.0.0.1'

const isClean = (a: Peer, b: Peer): boolean => a === b || (a.rules.length === 0 && b.rules.length === 0)
