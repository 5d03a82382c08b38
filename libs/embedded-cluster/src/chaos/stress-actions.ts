import { type ContainerCompute, type Stress } from '../compute/container-compute.js'
import { type ChaosAction, type ChaosContext, InjectionError, podOf, requirePod, sourceOf } from './action.js'
import { type Chaos, type ChaosRecord, type Phase } from './status.js'
import { memorySize } from './memory-size.js'

/** StressChaos: threads and memory in the control group of a container, gone with the container or at the end. */
export class StressAction implements ChaosAction {
  constructor(private readonly context: ChaosContext) {}

  apply(chaos: Chaos, record: ChaosRecord): Phase {
    requirePod(this.context, record)
    const compute = computeOf(this.context, record)
    if (!compute) throw new InjectionError(`container ${record.id.split('/')[2] ?? ''} is not running`)
    compute.stress(stressOf(chaos, compute.nodeMemory))
    return 'Injected'
  }

  recover(chaos: Chaos, record: ChaosRecord): Phase {
    computeOf(this.context, record)?.unstress(sourceOf(chaos))
    return 'Not Injected'
  }
}

function stressOf(chaos: Chaos, nodeBytes: number): Stress {
  const { cpu = { workers: 0 }, memory = { workers: 0 } } = chaos.spec.stressors ?? {}
  const { workers: threads, load = 100 } = cpu
  const memoryBytes = memory.workers > 0 ? (memorySize(memory.size, nodeBytes) ?? 0) : 0
  return { source: sourceOf(chaos), threads, cores: (threads * load) / 100, memoryBytes }
}

function computeOf(context: ChaosContext, record: ChaosRecord): ContainerCompute | null {
  const pod = podOf(context, record)
  return (pod && context.kubelets.workerOf(pod)?.compute(record.id.split('/')[2] ?? '')) ?? null
}

/** What the fault notes down of each target that it is on: processes in its name and when they began. */
export function stressInstance({ spec }: Chaos, ids: { uid: string; startTime: string }): Record<string, string> {
  const never = '1970-01-01T00:00:00Z'
  const { cpu, memory } = spec.stressors ?? {}
  return {
    ...(memory ? { memoryUid: ids.uid } : {}),
    memoryStartTime: memory ? ids.startTime : never,
    startTime: cpu ? ids.startTime : never,
    ...(cpu ? { uid: ids.uid } : {}),
  }
}
