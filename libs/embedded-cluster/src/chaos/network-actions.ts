import { type RandomStream } from '../kernel/random.js'
import { parseGoDuration } from '../images/go-duration.js'
import { LOST, type PacketEffect, type PacketRule } from '../traffic/peer.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod } from './action.js'
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
  const effect = effectOf(effectsOf(chaos.spec), context.cluster.kernel.stream('chaos/packets'))
  const source = sourceOf(chaos)
  const rules = chainsFor(chaos.spec, record.selectorKey).map((chain) => ({ source, chain, others, effect }))
  peer.rules = [...peer.rules, ...rules]
  return 'Injected'
}

function removeRules(context: ChaosContext, chaos: Chaos, record: ChaosRecord): void {
  const pod = podOf(context, record)
  const peer = pod && context.kubelets.workerOf(pod)?.peer
  if (peer) peer.rules = peer.rules.filter(({ source }) => source !== sourceOf(chaos))
}

const sourceOf = ({ metadata }: Chaos): string => `${metadata.namespace ?? ''}/${metadata.name}`

/** Where, at this end of the fault, packets are touched. */
function chainsFor({ action, direction = 'to' }: ChaosSpec, end: ChaosRecord['selectorKey']): Chain[] {
  const sends = direction === 'both' || direction === (end === '.' ? 'to' : 'from')
  const receives = direction === 'both' || direction === (end === '.' ? 'from' : 'to')
  const partition = action === 'partition'
  return [...(sends ? (['egress'] as const) : []), ...(receives && partition ? (['ingress'] as const) : [])]
}

/** Addresses of the fault's other end when it is put on; null when it has none, and every packet is meant. */
function otherEnds(context: ChaosContext, chaos: Chaos, { selectorKey }: ChaosRecord): ReadonlySet<string> | null {
  const records = chaos.status?.experiment?.containerRecords ?? []
  const others = records.filter((record) => record.selectorKey !== selectorKey)
  if (others.length === 0) return null
  return new Set(others.map((record) => podOf(context, record)?.status?.podIP ?? '').filter(Boolean))
}

/** A field of another action than the fault's own has no effect. */
const effectsOf = ({ action, delay, loss, ...rest }: ChaosSpec): ChaosSpec => ({
  ...rest,
  action,
  ...(action === 'delay' ? { delay } : {}),
  ...(action === 'loss' ? { loss } : {}),
})

/** What happens to each packet. */
function effectOf({ delay, loss }: ChaosSpec, random: RandomStream): PacketEffect {
  if (delay) return new Delay(delay, random)
  return loss ? new Loss(Number(loss.loss) / 100, new Draw(random, loss.correlation)) : new Loss(1, new Draw(random))
}

class Loss implements PacketEffect {
  constructor(
    private readonly share: number,
    private readonly draw: Draw,
  ) {}

  onPacket(): number {
    return this.share >= 1 || this.draw.next() < this.share ? LOST : 0
  }
}

class Delay implements PacketEffect {
  private readonly latencyMs: number
  private readonly jitterMs: number
  private readonly draw: Draw

  constructor({ latency, jitter = '0', correlation }: NonNullable<ChaosSpec['delay']>, random: RandomStream) {
    this.latencyMs = parseGoDuration(latency) ?? 0
    this.jitterMs = parseGoDuration(jitter) ?? 0
    this.draw = new Draw(random, correlation)
  }

  onPacket(): number {
    if (this.jitterMs === 0) return this.latencyMs
    return Math.max(0, this.latencyMs + this.jitterMs * (2 * this.draw.next() - 1))
  }
}

/** Random numbers in [0, 1) that depend, by so many percent, on the last one as those of Linux' netem do. */
class Draw {
  private readonly correlation: number
  private last: number

  constructor(
    private readonly random: RandomStream,
    percent = '0',
  ) {
    this.correlation = Number(percent) / 100
    this.last = this.correlation === 0 ? 0 : random.uniform()
  }

  next(): number {
    if (this.correlation === 0) return this.random.uniform()
    return (this.last = this.random.uniform() * (1 - this.correlation) + this.last * this.correlation)
  }
}
