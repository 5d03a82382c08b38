import { assertNever, type Fault, type FaultOf } from '@ordeal/shared'
import { decimal, duration, plural } from './format.js'

/** A fault in plain words: `kill one pod of Pod/web`. */
export function faultWords(fault: Fault): string {
  if (fault.kind === 'PodChaos') return `${POD_EFFECT[fault.action]} ${target(fault)}`
  if (fault.kind === 'Functional') return `${FUNCTIONAL_EFFECT[fault.action]} at ${fault.target.component}`
  return `${effectOf(fault)} at ${target(fault)}`
}

/** `one pod of Deployment/web`. */
function target({ target }: Fault): string {
  const pods = {
    one: 'one pod',
    all: 'all pods',
    node: 'all pods on one node',
    fixed: plural(target.count ?? 1, 'pod'),
  }[target.mode]
  return `${pods} of ${target.component}`
}

const FUNCTIONAL_EFFECT: Record<FaultOf<'Functional'>['action'], string> = {
  'wrong-port': 'a service on the wrong port',
  'wrong-selector': 'a service that selects nothing',
  'bad-probe': 'a probe on the wrong port',
  'missing-env': 'a missing variable',
  'missing-config': 'a missing ConfigMap',
  'bad-image': 'an image that cannot be pulled',
  'quota-exhausted': 'an exhausted quota',
  'node-drain': 'a drained node',
  'rolling-restart': 'a rolling restart',
  'scale-to-zero': 'no replicas',
  'config-change': 'a changed variable',
  'excess-load': 'more load',
}

const POD_EFFECT = {
  'pod-kill': 'kill',
  'pod-failure': 'make unavailable',
  'container-kill': 'kill the containers of',
} as const

function effectOf(fault: Exclude<Fault, { kind: 'PodChaos' | 'Functional' }>): string {
  switch (fault.kind) {
    case 'NetworkChaos':
      return `${networkWords(fault)}${peerWords(fault)}`
    case 'DNSChaos':
      return fault.action === 'error' ? 'failing name look-ups' : 'wrong addresses for names'
    case 'HTTPChaos':
      return `${HTTP_EFFECT[fault.action]} on port ${fault.parameters.port}`
    case 'StressChaos':
      return STRESS_EFFECT[fault.action]
    case 'IOChaos':
      return `${IO_EFFECT[fault.action]} below ${fault.parameters.volumePath}`
    case 'TimeChaos':
      return `clock ${fault.parameters.offsetMs < 0 ? 'slow' : 'fast'} by ${duration(Math.abs(fault.parameters.offsetMs))}`
    default:
      return assertNever(fault)
  }
}

function networkWords(fault: FaultOf<'NetworkChaos'>): string {
  switch (fault.action) {
    case 'delay': {
      const { latencyMs, jitterMs } = fault.parameters
      return `network delay of ${duration(latencyMs)}${jitterMs ? ` ± ${duration(jitterMs)}` : ''}`
    }
    case 'loss':
      return `loss of ${decimal(fault.parameters.lossPercent)} % of the packets`
    case 'duplicate':
      return `doubling of ${decimal(fault.parameters.duplicatePercent)} % of the packets`
    case 'corrupt':
      return `corruption of ${decimal(fault.parameters.corruptPercent)} % of the packets`
    case 'bandwidth':
      return `network limited to ${fault.parameters.rate}`
    case 'partition':
      return 'network partition'
    case 'netem':
      return `network with ${mixtureWords(fault.parameters)}`
    default:
      return assertNever(fault)
  }
}

const MIXTURE = ['delay', 'loss', 'duplicate', 'corrupt', 'rate'] as const

const mixtureWords = (parameters: Extract<FaultOf<'NetworkChaos'>, { action: 'netem' }>['parameters']): string =>
  MIXTURE.filter((part) => parameters[part] !== undefined).join(', ')

const peerWords = ({ parameters: { peer } }: FaultOf<'NetworkChaos'>): string =>
  peer ? ` towards ${peer.component}` : ''

const HTTP_EFFECT: Record<FaultOf<'HTTPChaos'>['action'], string> = {
  abort: 'broken connections',
  delay: 'late answers',
  replace: 'replaced requests or answers',
  patch: 'changed requests or answers',
}

const STRESS_EFFECT: Record<FaultOf<'StressChaos'>['action'], string> = {
  cpu: 'a busy processor',
  memory: 'filled memory',
  'cpu-and-memory': 'a busy processor and filled memory',
  'stress-ng': 'a stressor',
}

const IO_EFFECT: Record<FaultOf<'IOChaos'>['action'], string> = {
  latency: 'slow files',
  fault: 'failing files',
  attrOverride: 'wrong attributes of files',
  mistake: 'wrong contents of files',
}
