import { assertNever, type FaultOf } from '@ordeal/shared'
import { given, goDuration } from './chaos-fields.js'

type NetworkFault = FaultOf<'NetworkChaos'>
type Mixture = Extract<NetworkFault, { action: 'netem' }>['parameters']

/**
 * The `spec` of a NetworkChaos beyond its targets. `otherSide` names the pods of the other side, where they are known;
 * without it the peer's labels select them.
 */
export function networkSpec(
  fault: NetworkFault,
  namespace: string,
  otherSide?: readonly string[],
): Record<string, unknown> {
  const { direction = 'to', externalTargets, device, peerDevice } = fault.parameters
  const target = targetOf(fault, namespace, otherSide)
  return {
    direction,
    ...(target ? { target: { mode: 'all', selector: target } } : {}),
    ...given({ externalTargets, device, targetDevice: peerDevice }),
    ...howOf(fault),
  }
}

/** Whether only packets from or to somebody are meant, and not all that the targets send. */
export const hasOtherSide = ({ parameters }: NetworkFault): boolean =>
  (parameters.direction ?? 'to') !== 'to' || parameters.peer !== undefined || parameters.externalTargets !== undefined

function targetOf(
  fault: NetworkFault,
  namespace: string,
  otherSide: readonly string[] | undefined,
): Record<string, unknown> | null {
  const { peer, direction = 'to', externalTargets } = fault.parameters
  if (otherSide?.length) return { pods: { [namespace]: otherSide } }
  const running = { namespaces: [namespace], podPhaseSelectors: ['Running'] }
  if (peer) return { ...running, labelSelectors: peer.selector }
  // Chaos Mesh wants to know from whom, for any direction but `to`: the pods of the application.
  return direction === 'to' || externalTargets ? null : running
}

function howOf(fault: NetworkFault): Record<string, unknown> {
  switch (fault.action) {
    case 'delay':
      return { delay: delayOf(fault.parameters) }
    case 'loss':
      return { loss: lossOf(fault.parameters) }
    case 'duplicate':
      return { duplicate: duplicateOf(fault.parameters) }
    case 'corrupt':
      return { corrupt: corruptOf(fault.parameters) }
    case 'bandwidth': {
      const { rate, limitBytes, bufferBytes, peakRateBytes, minBurstBytes } = fault.parameters
      const most = given({ peakrate: peakRateBytes, minburst: minBurstBytes })
      return { bandwidth: { rate, limit: limitBytes, buffer: bufferBytes, ...most } }
    }
    case 'partition':
      return given({ partitionBehavior: fault.parameters.refusal })
    case 'netem':
      return mixtureOf(fault.parameters)
    default:
      return assertNever(fault)
  }
}

const mixtureOf = ({ delay, loss, duplicate, corrupt, rate }: Mixture): Record<string, unknown> => ({
  ...(delay && { delay: delayOf(delay) }),
  ...(loss && { loss: lossOf(loss) }),
  ...(duplicate && { duplicate: duplicateOf(duplicate) }),
  ...(corrupt && { corrupt: corruptOf(corrupt) }),
  ...(rate && { rate: { rate } }),
})

type Part<K extends keyof Mixture> = NonNullable<Mixture[K]>

const delayOf = ({ latencyMs, jitterMs = 0, correlation, reorder }: Part<'delay'>): Record<string, unknown> => ({
  latency: goDuration(latencyMs),
  jitter: goDuration(jitterMs),
  ...correlated(correlation),
  ...(reorder && {
    reorder: { reorder: `${reorder.percent}`, gap: reorder.gap, ...correlated(reorder.correlation) },
  }),
})
const lossOf = ({ lossPercent, correlation }: Part<'loss'>) => ({ loss: `${lossPercent}`, ...correlated(correlation) })
const duplicateOf = ({ duplicatePercent, correlation }: Part<'duplicate'>) => ({
  duplicate: `${duplicatePercent}`,
  ...correlated(correlation),
})
const corruptOf = ({ corruptPercent, correlation }: Part<'corrupt'>) => ({
  corrupt: `${corruptPercent}`,
  ...correlated(correlation),
})
const correlated = (percent = 0): { correlation: string } => ({ correlation: `${percent}` })
