import { AddressBlock } from '../traffic/address-block.js'
import { type AddressSet, type PacketRule } from '../traffic/peer.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod, sourceOf } from './action.js'
import { packetEffects } from './network-effects.js'
import { type Chaos, type ChaosRecord, type ChaosSpec, type Phase } from './status.js'

type Chain = PacketRule['chain']

/**
 * The actions of NetworkChaos. Packets are touched where Chaos Mesh touches them: delay and loss as they leave a pod
 * (the source's with direction `to`, the target's with `from`), a partition at both ends.
 */
export class NetworkAction implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    if (record.phase === 'Not Injected/Wait') return install(this.context, chaos, record)
    const pod = requirePod(this.context, record)
    const chains = chainsFor(chaos.spec, record.selectorKey)
    if (chains.length === 0) return 'Injected'
    if (pod.status?.phase !== 'Running') throw new InjectionError('pod not running')
    return 'Not Injected/Wait'
  }

  recover(chaos: Chaos, record: ChaosRecord): Phase {
    const pod = podOf(this.context, record)
    if (!pod) return 'Not Injected'
    if (record.phase !== 'Injected/Wait') return 'Injected/Wait'
    removeRules(this.context, chaos, record)
    return 'Not Injected'
  }
}

function install(context: ChaosContext, chaos: Chaos, record: ChaosRecord): 'Injected' | 'Not Injected' {
  const pod = podOf(context, record)
  const peer = pod && context.kubelets.workerOf(pod)?.peer
  if (!peer) return 'Not Injected'
  const others = otherEnds(context, chaos, record)
  const source = sourceOf(chaos)
  const effects = packetEffects(chaos.spec, context.cluster.kernel)
  const rules = chainsFor(chaos.spec, record.selectorKey).flatMap((chain) =>
    effects.map((effect) => ({ source, chain, others, effect })),
  )
  peer.rules = [...peer.rules, ...rules]
  return 'Injected'
}

function removeRules(context: ChaosContext, chaos: Chaos, record: ChaosRecord): void {
  const pod = podOf(context, record)
  const peer = pod && context.kubelets.workerOf(pod)?.peer
  if (peer) peer.rules = peer.rules.filter(({ source }) => source !== sourceOf(chaos))
}

/** Where, at this end of the fault, packets are touched. */
function chainsFor({ action, direction = 'to' }: ChaosSpec, end: ChaosRecord['selectorKey']): Chain[] {
  const sends = direction === 'both' || direction === (end === '.' ? 'to' : 'from')
  const receives = direction === 'both' || direction === (end === '.' ? 'from' : 'to')
  const partition = action === 'partition'
  return [...(sends ? (['egress'] as const) : []), ...(receives && partition ? (['ingress'] as const) : [])]
}

/** Addresses of the fault's other end when it is put on; null when it has none, and every packet is meant. */
function otherEnds(context: ChaosContext, chaos: Chaos, { selectorKey }: ChaosRecord): AddressSet | null {
  const records = chaos.status?.experiment?.containerRecords ?? []
  const others = records.filter((record) => record.selectorKey !== selectorKey)
  const external = selectorKey === '.' ? (chaos.spec.externalTargets ?? []) : []
  if (others.length === 0 && external.length === 0) return null
  const pods = new Set(others.map((record) => podOf(context, record)?.status?.podIP ?? '').filter(Boolean))
  return external.length === 0 ? pods : new Addresses([pods, ...external.map((cidr) => new AddressBlock(cidr))])
}

class Addresses implements AddressSet {
  constructor(private readonly parts: readonly AddressSet[]) {}

  has(ip: string): boolean {
    return this.parts.some((part) => part.has(ip))
  }
}
