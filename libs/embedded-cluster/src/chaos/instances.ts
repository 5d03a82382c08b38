import { type Kernel } from '../kernel/kernel.js'
import { timestamp } from '../store/object.js'
import { stressInstance } from './stress-actions.js'
import { type Chaos, type ChaosRecord } from './status.js'

type Instances = Pick<NonNullable<Chaos['status']>, 'instances'>

/** What a fault's status keeps per target beside the records; nothing for faults that keep nothing. */
export function instancesOf(chaos: Chaos, records: readonly ChaosRecord[], kernel: Kernel): Instances {
  switch (chaos.kind) {
    case 'NetworkChaos':
    case 'HTTPChaos':
      return generations(chaos, records)
    case 'StressChaos':
      return stresses(chaos, records, kernel)
    default:
      return {}
  }
}

/** How often the settings of each pod's network, or proxy, were written. */
function generations(chaos: Chaos, records: readonly ChaosRecord[]): Instances {
  const before = chaos.status?.experiment?.containerRecords
  const instances: Record<string, unknown> = { ...chaos.status?.instances }
  records.forEach(({ id, phase }, index) => {
    if (!phase.endsWith('/Wait') || before?.[index]?.phase === phase) return
    instances[id] = Number(instances[id] ?? 0) + 1
  })
  return { instances }
}

/** One for each target that the stress is on; none at all once it is over. */
function stresses(chaos: Chaos, records: readonly ChaosRecord[], kernel: Kernel): Instances {
  const known = chaos.status?.instances
  const instances: Record<string, unknown> = {}
  for (const { id, phase } of records) {
    if (phase !== 'Injected') continue
    const uid = String(100 + kernel.stream('chaos/processes').below(30_000))
    instances[id] = known?.[id] ?? stressInstance(chaos, { uid, startTime: timestamp(kernel.now) })
  }
  return Object.keys(instances).length > 0 ? { instances } : { instances: undefined }
}
