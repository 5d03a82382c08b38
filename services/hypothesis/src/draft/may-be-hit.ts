import { nameOf } from '@ordeal/kubernetes'
import { type FailureModel, type Graph, type Workload } from '@ordeal/shared'

/** A fault needs pods, and labels to select them by. */
export const canBeHit = (workload: Workload): boolean =>
  workload.replicas > 0 && Object.keys(workload.selector).length > 0

/** Bare names by which people speak of a workload: its own, and those of the services in front of it. */
const namesOf = (graph: Graph, { id }: Workload): string[] => [
  nameOf(id),
  ...graph.services.filter((service) => service.workloads.includes(id)).map((service) => nameOf(service.id)),
]

/** The workloads that can be hit and that the failure model lets be hit. */
export function hittable(graph: Graph, { workloads, spared }: FailureModel): Workload[] {
  const meant = (list: readonly string[], workload: Workload): boolean =>
    namesOf(graph, workload).some((name) => list.includes(name))
  return graph.workloads
    .filter(canBeHit)
    .filter((workload) => !meant(spared, workload) && (workloads === null || meant(workloads, workload)))
}

/** Says when fewer workloads may be hit than are to be hit at once; none for a failure model that is possible. */
export function tooFewToHit(graph: Graph, model: FailureModel): string[] {
  const count = hittable(graph, model).length
  if (count >= model.together) return []
  return [
    `${model.together} of the application's workloads are to be hit at once, but ${count || 'none'} may or can be`,
  ]
}
