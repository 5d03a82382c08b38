import { type SampleLine } from '@ordeal/prober'
import { type Windows } from '@ordeal/shared'
import { isChaosRunFault, type RunFault } from '../run/fault.js'
import { answersEffect } from './answers-effect.js'
import { effectProbeId, loadProbeId, resourcesOf } from './effect-probes.js'
import { loadEffect } from './load-effect.js'
import { withShown } from './shown.js'

/** Adds, to what was seen of a fault at its targets' pods, what was measured there. */
export function withMeasuredEffects(fault: RunFault, lines: readonly SampleLine[], { pre }: Windows): RunFault {
  const { injectedAt, recoveredAt, targets } = fault.injection
  if (injectedAt === null || !isChaosRunFault(fault)) return fault
  const until = Math.min(recoveredAt ?? Infinity, injectedAt + fault.targets.fault.durationMs)
  const shown = targets.map((pod) => {
    const measured = measuredAt(fault, pod, lines, { from: pre.from, injectedAt, until })
    return measured === null ? {} : { [pod]: measured }
  })
  return withShown(fault, Object.assign({}, ...shown) as Record<string, string>)
}

interface When {
  readonly from: number
  readonly injectedAt: number
  readonly until: number
}

function measuredAt(
  { targets: { fault }, injection }: RunFault,
  pod: string,
  lines: readonly SampleLine[],
  { from, injectedAt, until }: When,
): string | null {
  const own = (id: string) => lines.filter((line) => line.probe === id)
  const asked = own(effectProbeId(fault.id, pod))
  const between = (begin: number, end: number) => asked.filter(({ at }) => at >= begin && at < end)
  const loads = resourcesOf(fault).map((resource) =>
    loadEffect(pod, resource, own(loadProbeId(fault.id, pod, resource)), { injectedAt, until }),
  )
  const during = between(injectedAt, until)
  // Nobody answers for a pod that is no more, whatever the fault did to it.
  const isGone = injection.replaced?.some(({ pod: name }) => name === pod)
  const answers = answersEffect(fault.kind, {
    pod,
    before: between(from, injectedAt),
    during: isGone ? during.filter(({ latencyMs }) => latencyMs !== null) : during,
  })
  return loads.find((effect) => effect !== null) ?? answers
}
