import { counterpartOf, graphOfObjects } from '@ordeal/kubernetes'
import { type Graph, type Manifests } from '@ordeal/shared'

/**
 * The application's graph with what a revision made of its workloads: their names are those of the application as given,
 * since the hypothesis speaks of those.
 */
export function asRevised(given: Graph, { objects }: Manifests): Graph {
  const revised = graphOfObjects(given.application, objects)
  const workloads = given.workloads.map((workload) => {
    const now = counterpartOf(workload.id, given, revised)
    if (!now) return workload
    const { replicas, managed, readiness, stateful } = now
    return { ...workload, replicas, managed, readiness, stateful }
  })
  return { ...given, workloads }
}
