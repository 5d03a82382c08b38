import { type Call } from './call.js'

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
  readonly others: ReadonlySet<string> | null
  readonly effect: PacketEffect
}

export interface PacketEffect {
  /** The delay of one packet in milliseconds, or LOST. */
  onPacket(): number
}
export const LOST = -1

/** A pod or a node on the cluster's network. */
export class Peer {
  readonly servers: Server[] = []
  rules: readonly PacketRule[] = NO_RULES
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

/** The delay in milliseconds that the rules at both ends add to one packet, or LOST. */
export function packetDelay(from: Peer, to: Peer): number {
  const leaving = sum(from.rules, 'egress', to.ip)
  if (leaving === LOST) return LOST
  const arriving = sum(to.rules, 'ingress', from.ip)
  return arriving === LOST ? LOST : leaving + arriving
}

function sum(rules: readonly PacketRule[], chain: PacketRule['chain'], other: string): number {
  let total = 0
  for (const rule of rules) {
    if (rule.chain !== chain || (rule.others !== null && !rule.others.has(other))) continue
    const delay = rule.effect.onPacket()
    if (delay === LOST) return LOST
    total += delay
  }
  return total
}
