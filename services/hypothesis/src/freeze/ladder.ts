import { type Fault, type FaultOf, type Scenario } from '@ordeal/shared'

/**
 * The scenario with a ladder for every fault that has an intensity and was given none: parameters that are tried, one
 * after the other, when the fault is reported as injected and nothing shows at its targets.
 */
export const withLadders = (scenario: Scenario): Scenario => ({
  ...scenario,
  faults: scenario.faults.map((step) => step.map(withLadder)),
})

function withLadder(fault: Fault): Fault {
  if (fault.stronger) return fault
  const seen = new Set([JSON.stringify(fault.parameters)])
  const stronger = FACTORS.map((factor) => strongerBy(fault, factor)).filter((parameters) => {
    const text = JSON.stringify(parameters)
    return parameters !== null && !seen.has(text) && seen.add(text)
  })
  // A fault and its ladder have parameters of one action.
  return stronger.length ? ({ ...fault, stronger } as Fault) : fault
}

/** Each step is plainly stronger than the last; the second leaves little to wish for. */
const FACTORS = [3, 10]

/** Parameters so many times as strong; null for a fault that is there or is not. */
function strongerBy(fault: Fault, factor: number): Fault['parameters'] | null {
  switch (fault.kind) {
    case 'NetworkChaos':
      return network(fault, factor)
    case 'HTTPChaos':
      return fault.action === 'delay' ? { ...fault.parameters, delayMs: fault.parameters.delayMs * factor } : null
    case 'StressChaos':
      return stress(fault, factor)
    case 'IOChaos':
      return io(fault, factor)
    case 'TimeChaos':
      return { ...fault.parameters, offsetMs: fault.parameters.offsetMs * factor }
    default:
      return null
  }
}

function network(fault: FaultOf<'NetworkChaos'>, factor: number): Fault['parameters'] | null {
  switch (fault.action) {
    case 'delay':
      return later(fault.parameters, factor)
    case 'loss':
      return { ...fault.parameters, lossPercent: share(fault.parameters.lossPercent, factor) }
    case 'duplicate':
      return { ...fault.parameters, duplicatePercent: share(fault.parameters.duplicatePercent, factor) }
    case 'corrupt':
      return { ...fault.parameters, corruptPercent: share(fault.parameters.corruptPercent, factor) }
    case 'bandwidth':
      return { ...fault.parameters, rate: narrower(fault.parameters.rate, factor) }
    case 'netem':
      return mixture(fault.parameters, factor)
    default:
      return null
  }
}

type Mixture = Extract<FaultOf<'NetworkChaos'>, { action: 'netem' }>['parameters']

function mixture(parameters: Mixture, factor: number): Mixture {
  const { delay, loss, duplicate, corrupt, rate } = parameters
  return {
    ...parameters,
    ...(delay && { delay: later(delay, factor) }),
    ...(loss && { loss: { ...loss, lossPercent: share(loss.lossPercent, factor) } }),
    ...(duplicate && { duplicate: { ...duplicate, duplicatePercent: share(duplicate.duplicatePercent, factor) } }),
    ...(corrupt && { corrupt: { ...corrupt, corruptPercent: share(corrupt.corruptPercent, factor) } }),
    ...(rate && { rate: narrower(rate, factor) }),
  }
}

function stress(fault: FaultOf<'StressChaos'>, factor: number): Fault['parameters'] | null {
  if (fault.action === 'stress-ng') return null
  const { parameters } = fault
  return {
    ...parameters,
    ...('cpu' in parameters && { cpu: busier(parameters.cpu, factor) }),
    ...('memory' in parameters && { memory: fuller(parameters.memory, factor) }),
  }
}

type Cpu = Extract<FaultOf<'StressChaos'>, { action: 'cpu' }>['parameters']['cpu']
type Memory = Extract<FaultOf<'StressChaos'>, { action: 'memory' }>['parameters']['memory']

/** All of each processor first; then more of them. */
const busier = ({ workers, loadPercent = 100, ...rest }: Cpu, factor: number): Cpu => ({
  ...rest,
  workers: loadPercent * factor > 100 ? Math.ceil((workers * loadPercent * factor) / 100) : workers,
  loadPercent: share(loadPercent, factor),
})

function fuller({ size, ...rest }: Memory, factor: number): Memory {
  const [, number = '', unit = ''] = /^([\d.]+)(.*)$/.exec(size ?? '') ?? []
  if (!number) return { ...rest, size }
  const more = Number(number) * factor
  return { ...rest, size: `${unit === '%' ? Math.min(100, Math.round(more)) : more}${unit}` }
}

function io(fault: FaultOf<'IOChaos'>, factor: number): Fault['parameters'] {
  const { percent } = fault.parameters
  const oftener = percent === undefined ? {} : { percent: Math.round(share(percent, factor)) }
  if (fault.action !== 'latency') return { ...fault.parameters, ...oftener }
  return { ...fault.parameters, ...oftener, delayMs: fault.parameters.delayMs * factor }
}

const later = <T extends { latencyMs: number }>(delay: T, factor: number): T => ({
  ...delay,
  latencyMs: delay.latencyMs * factor,
})

const share = (percent: number, factor: number): number => Math.min(100, percent * factor)

function narrower(rate: string, factor: number): string {
  const [, number = '', unit = ''] = /^(\d+)(.*)$/.exec(rate) ?? []
  return `${Math.max(1, Math.floor(Number(number) / factor))}${unit}`
}
