import { parseGoDuration } from '../images/go-duration.js'
import { type Kernel } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { CutEffect, DelayEffect, LossEffect, RateEffect } from '../traffic/packet-effects.js'
import { type PacketEffect } from '../traffic/peer.js'
import { parseRate } from './rate.js'
import { type ChaosSpec } from './status.js'

/** netem keeps so many packets waiting at a limited rate. */
const NETEM_QUEUE_BYTES = 1000 * 1500

/** What the fault does to a packet. A parameter of another action than the fault's own has no effect. */
export function packetEffects(spec: ChaosSpec, kernel: Kernel): PacketEffect[] {
  const random = kernel.stream('chaos/packets')
  switch (spec.action) {
    case 'partition':
      return [new CutEffect(spec.partitionBehavior === 'reject')]
    case 'bandwidth':
      return bandwidth(spec)
    case 'netem':
      return [...delay(spec, random), ...loss(spec, random), ...corrupt(spec, random), ...rate(spec)]
    case 'delay':
      return delay(spec, random)
    case 'loss':
      return loss(spec, random)
    case 'corrupt':
      return corrupt(spec, random)
    default:
      // duplicate: TCP throws a copy away, so nothing that a request shows changes.
      return []
  }
}

function delay({ delay: given }: ChaosSpec, random: RandomStream): PacketEffect[] {
  if (!given) return []
  const { latency, jitter = '0', correlation, reorder } = given
  const overtaking = reorder && {
    share: shareOf(reorder.reorder),
    correlation: shareOf(reorder.correlation),
    gap: Math.max(1, reorder.gap),
  }
  const options = {
    latencyMs: parseGoDuration(latency) ?? 0,
    jitterMs: parseGoDuration(jitter) ?? 0,
    correlation: shareOf(correlation),
    reorder: overtaking && overtaking.share > 0 ? overtaking : null,
  }
  return [new DelayEffect(options, random)]
}

function loss({ loss: given }: ChaosSpec, random: RandomStream): PacketEffect[] {
  return given ? [new LossEffect(shareOf(given.loss), shareOf(given.correlation), random)] : []
}

function corrupt({ corrupt: given }: ChaosSpec, random: RandomStream): PacketEffect[] {
  return given ? [new LossEffect(shareOf(given.corrupt), shareOf(given.correlation), random)] : []
}

function rate({ rate: given }: ChaosSpec): PacketEffect[] {
  const bytesPerMs = parseRate(given?.rate)
  return bytesPerMs === null ? [] : [new RateEffect({ bytesPerMs, burstBytes: 0, queueBytes: NETEM_QUEUE_BYTES })]
}

function bandwidth({ bandwidth: given }: ChaosSpec): PacketEffect[] {
  const bytesPerMs = parseRate(given?.rate)
  if (!given || bytesPerMs === null) return []
  return [new RateEffect({ bytesPerMs, burstBytes: given.buffer, queueBytes: given.limit })]
}

const shareOf = (percent = '0'): number => Number(percent) / 100
