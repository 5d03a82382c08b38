import { type RandomStream } from '../kernel/random.js'
import { parseGoDuration } from '../images/go-duration.js'
import { LOST, type PacketRule } from '../traffic/peer.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod } from './action.js'
import { type Chaos, type ChaosRecord, type ChaosSpec } from './status.js'

type Chain = PacketRule['chain']

/**
 * The actions of NetworkChaos. Packets are touched where Chaos Mesh touches them: delay and loss as they leave a pod
 * (the source's with direction `to`, the target's with `from`), a partition at both ends.
 */
export function networkAction(context: ChaosContext): ChaosAction {
  return {
    apply: (chaos, record) => {
      if (record.phase === 'Not Injected/Wait') return install(context, chaos, record)
      const pod = requirePod(context, record)
      const chains = chainsFor(chaos.spec, record.selectorKey)
      if (chains.length === 0) return 'Injected'
      if (pod.status?.phase !== 'Running') throw new InjectionError('pod not running')
      return 'Not Injected/Wait'
    },
    recover: (chaos, record) => {
      const pod = podOf(context, record)
      if (!pod) return 'Not Injected'
      if (record.phase !== 'Injected/Wait') return 'Injected/Wait'
      removeRules(context, chaos, record)
      return 'Not Injected'
    },
  }
}

function install(context: ChaosContext, chaos: Chaos, record: ChaosRecord): 'Injected' | 'Not Injected' {
  const pod = podOf(context, record)
  const peer = pod && context.workerOf(pod)?.peer
  if (!peer) return 'Not Injected'
  const others = otherEnds(context, chaos, record)
  const verdict = verdictOf(effectsOf(chaos.spec), context.cluster.kernel.stream('chaos/packets'))
  const source = sourceOf(chaos)
  const rules = chainsFor(chaos.spec, record.selectorKey).map((chain) => ({ source, chain, others, verdict }))
  peer.rules = [...peer.rules, ...rules]
  return 'Injected'
}

function removeRules(context: ChaosContext, chaos: Chaos, record: ChaosRecord): void {
  const pod = podOf(context, record)
  const peer = pod && context.workerOf(pod)?.peer
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

/** What happens to each packet, as a delay in ms or LOST. */
function verdictOf({ delay, loss }: ChaosSpec, random: RandomStream): () => number {
  if (delay) return delays(delay, random)
  if (!loss) return () => LOST
  const share = Number(loss.loss) / 100
  const draw = correlated(random, loss.correlation)
  return () => (draw() < share ? LOST : 0)
}

function delays(delay: NonNullable<ChaosSpec['delay']>, random: RandomStream): () => number {
  const latency = parseGoDuration(delay.latency) ?? 0
  const jitter = parseGoDuration(delay.jitter ?? '0') ?? 0
  const draw = correlated(random, delay.correlation)
  return jitter === 0 ? () => latency : () => Math.max(0, latency + jitter * (2 * draw() - 1))
}

/** Random numbers in [0, 1) that depend, by so many percent, on the last one as those of Linux' netem do. */
function correlated(random: RandomStream, percent = '0'): () => number {
  const correlation = Number(percent) / 100
  if (correlation === 0) return () => random.uniform()
  let last = random.uniform()
  return () => (last = random.uniform() * (1 - correlation) + last * correlation)
}
