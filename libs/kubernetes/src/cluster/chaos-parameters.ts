import { assertNever, type ChaosFault, type FaultOf } from '@ordeal/shared'
import { httpSpec } from './chaos-http.js'
import { given, goDuration } from './chaos-fields.js'
import { networkSpec } from './chaos-network.js'

/** The `spec` of a fault beyond its targets and its duration. */
export function parametersOf(
  fault: ChaosFault,
  namespace: string,
  otherSide?: readonly string[],
): Record<string, unknown> {
  switch (fault.kind) {
    case 'PodChaos':
      return { action: fault.action, ...podSpec(fault) }
    case 'NetworkChaos':
      return { action: fault.action, ...networkSpec(fault, namespace, otherSide) }
    case 'DNSChaos':
      return { action: fault.action, ...dnsSpec(fault) }
    case 'HTTPChaos':
      return httpSpec(fault, namespace)
    case 'StressChaos':
      return stressSpec(fault)
    case 'IOChaos':
      return { action: fault.action, ...ioSpec(fault) }
    case 'TimeChaos':
      return timeSpec(fault)
    default:
      return assertNever(fault)
  }
}

function podSpec(fault: FaultOf<'PodChaos'>): Record<string, unknown> {
  switch (fault.action) {
    case 'pod-kill':
      return given({ gracePeriod: fault.parameters.gracePeriodSeconds })
    case 'container-kill':
      return given({ containerNames: fault.parameters.containers })
    case 'pod-failure':
      return {}
    default:
      return assertNever(fault)
  }
}

const dnsSpec = ({ parameters: { patterns, containers } }: FaultOf<'DNSChaos'>): Record<string, unknown> =>
  given({ patterns, containerNames: containers })

function stressSpec(fault: FaultOf<'StressChaos'>): Record<string, unknown> {
  const names = given({ containerNames: fault.parameters.containers })
  if (fault.action === 'stress-ng') return { stressngStressors: fault.parameters.arguments.join(' '), ...names }
  const cpu = 'cpu' in fault.parameters ? fault.parameters.cpu : null
  const memory = 'memory' in fault.parameters ? fault.parameters.memory : null
  return {
    stressors: {
      ...(cpu && { cpu: given({ workers: cpu.workers, load: cpu.loadPercent, options: cpu.options }) }),
      ...(memory && { memory: given({ ...memory }) }),
    },
    ...names,
  }
}

function ioSpec(fault: FaultOf<'IOChaos'>): Record<string, unknown> {
  const { volumePath, path, methods, percent, containers } = fault.parameters
  return { volumePath, ...given({ path, methods, percent, containerNames: containers }), ...ioActionOf(fault) }
}

function ioActionOf(fault: FaultOf<'IOChaos'>): Record<string, unknown> {
  switch (fault.action) {
    case 'latency':
      return { delay: goDuration(fault.parameters.delayMs) }
    case 'fault':
      return { errno: fault.parameters.errno }
    case 'attrOverride':
      return { attr: given(fault.parameters.attr) }
    case 'mistake': {
      const { filling, maxOccurrences, maxLength } = fault.parameters
      return { mistake: { filling, maxOccurrences, maxLength } }
    }
    default:
      return assertNever(fault)
  }
}

const timeSpec = ({ parameters }: FaultOf<'TimeChaos'>): Record<string, unknown> => ({
  timeOffset: goDuration(parameters.offsetMs),
  ...given({ clockIds: parameters.clocks, containerNames: parameters.containers }),
})
