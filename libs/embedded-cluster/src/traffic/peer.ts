import { type Call } from './call.js'
import { type HttpRule } from './http-rules.js'
import { type NameRule } from './name-rules.js'

/** A program that accepts connections. */
export interface Server {
  listens(port: number): boolean
  /** Takes over a call whose request has arrived; must end it with `respond` or `reset` unless it is abandoned. */
  serve(call: Call): void
}

/** What a fault does to packets that leave (`egress`) or reach (`ingress`) a peer. */
export interface PacketRule {
  /** Name of the fault, by which the rule is taken away again. */
  readonly source: string
  readonly chain: 'egress' | 'ingress'
  /** Addresses at the other end that it concerns; null means every one. */
  readonly others: AddressSet | null
  readonly effect: PacketEffect
}

/** Addresses, however they are told apart. */
export interface AddressSet {
  has(ip: string): boolean
}

export interface PacketEffect {
  /** The delay of one packet of so many bytes in milliseconds, or LOST or REJECTED. */
  onPacket(nowMs: number, bytes: number): number
}
/** Nobody hears of the packet again. */
export const LOST = -1
/** The sender is told at once that nobody takes it. */
export const REJECTED = -2

/** A pod or a node on the cluster's network. */
export class Peer {
  readonly servers: Server[] = []
  rules: readonly PacketRule[] = NO_RULES
  /** What faults do to the names that it asks for. */
  nameRules: readonly NameRule[] = NO_NAMES
  /** What faults do to the requests that reach it. */
  httpRules: readonly HttpRule[] = NO_HTTP
  /** True when nothing has the address any more: packets to it vanish. */
  gone = false

  constructor(
    readonly ip: string,
    /** Index of the node whose kube-proxy routes its connections. */
    readonly node: number,
    /** Namespace in which its short host names resolve. */
    readonly namespace: string,
  ) {}

  server(port: number): Server | null {
    for (const server of this.servers) if (server.listens(port)) return server
    return null
  }

  attach(server: Server): void {
    this.servers.push(server)
  }

  detach(server: Server): void {
    const index = this.servers.indexOf(server)
    if (index >= 0) this.servers.splice(index, 1)
  }
}

const NO_RULES: readonly PacketRule[] = []
const NO_NAMES: readonly NameRule[] = []
const NO_HTTP: readonly HttpRule[] = []

/** A packet on its way. */
interface Packet {
  readonly from: Peer
  readonly to: Peer
  readonly bytes: number
}

/** The delay in milliseconds that the rules at both ends add to one packet, or LOST or REJECTED. */
export function packetDelay({ from, to, bytes }: Packet, nowMs: number): number {
  const leaving = sum(from.rules, { chain: 'egress', other: to.ip, bytes }, nowMs)
  if (leaving < 0) return leaving
  const arriving = sum(to.rules, { chain: 'ingress', other: from.ip, bytes }, nowMs)
  return arriving < 0 ? arriving : leaving + arriving
}

interface Passage {
  readonly chain: PacketRule['chain']
  readonly other: string
  readonly bytes: number
}

function sum(rules: readonly PacketRule[], { chain, other, bytes }: Passage, nowMs: number): number {
  let total = 0
  for (const rule of rules) {
    if (rule.chain !== chain || (rule.others !== null && !rule.others.has(other))) continue
    const delay = rule.effect.onPacket(nowMs, bytes)
    if (delay < 0) return delay
    total += delay
  }
  return total
}
