import { buildGraph } from '@ordeal/kubernetes'
import { type Graph, type Manifests } from '@ordeal/shared'

/**
 * The application's graph with what a revision made of its workloads: their names are those of the application as given,
 * whatever kind they have become (their pods' labels tell), since the hypothesis speaks of those.
 */
export function asRevised(given: Graph, { objects }: Manifests): Graph {
  const revised = buildGraph({
    application: given.application,
    objects: objects.map((object, docIndex) => ({
      object,
      source: { file: 'rendered', line: 1, docIndex, itemIndex: null },
    })),
  })
  const counterpart = (
    id: string,
    labels: Graph['workloads'][number]['selector'],
  ): Graph['workloads'][number] | undefined =>
    revised.workloads.find((w) => w.id === id) ??
    revised.workloads.find((w) => Object.entries(labels).every(([key, value]) => w.podLabels[key] === value))
  const workloads = given.workloads.map((workload) => {
    const now = counterpart(workload.id, workload.selector)
    if (!now) return workload
    const { replicas, managed, readiness, stateful } = now
    return { ...workload, replicas, managed, readiness, stateful }
  })
  return { ...given, workloads }
}
