import { type Graph, type SteadyStateDraft } from '@ordeal/shared'

/** What is broken once, for all the checks that must fail of it. */
export interface ControlTarget {
  /** `Kind/name` of the workloads behind the checks; empty when the graph knows none behind a service. */
  readonly workloads: readonly string[]
  /** The service that the checks call; null when they look at a workload itself. */
  readonly service: string | null
  readonly states: readonly SteadyStateDraft[]
}

/**
 * Targets in the order in which they are broken. What is called is broken alone, since its checks may fail of others as
 * well; all targets whose pods are only counted are broken at once, since a count knows no others.
 */
export function inRounds(targets: readonly ControlTarget[]): ControlTarget[][] {
  const isCalled = (target: ControlTarget) =>
    target.service !== null || target.states.some((s) => s.probe.kind !== 'k8s')
  const counted = targets.filter((target) => !isCalled(target))
  return [...targets.filter(isCalled).map((target) => [target]), ...(counted.length ? [counted] : [])]
}

/** Checks by what stands behind them, in the order in which it is first named. */
export function groupByTarget(states: readonly SteadyStateDraft[], graph: Graph): ControlTarget[] {
  const groups = new Map<string, ControlTarget>()
  for (const state of states) {
    const service = graph.services.find((s) => s.id === state.target)
    const workloads = service ? service.workloads : [state.target]
    const key = workloads.length ? workloads.toSorted().join(' ') : state.target
    const group = groups.get(key)
    groups.set(key, {
      workloads,
      service: group?.service ?? service?.id ?? null,
      states: [...(group?.states ?? []), state],
    })
  }
  return [...groups.values()]
}
