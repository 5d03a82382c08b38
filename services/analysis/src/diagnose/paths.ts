import { type Graph } from '@ordeal/shared'

/**
 * The ways along which a loss of `workload` reaches a user, shortest first: workload → service → workload … → entry
 * point. Each object appears at most once in a path; at most one path per entry point.
 */
export function pathsToUsers(graph: Graph, workload: string): string[][] {
  const paths: string[][] = []
  const seen = new Set([workload])
  let frontier = [[workload]]
  while (frontier.length > 0) {
    frontier = frontier.flatMap((path) => stepsFrom(graph, path.at(-1) ?? '').map((next) => [...path, next]))
    frontier = frontier.filter((path) => {
      const end = path.at(-1) ?? ''
      if (seen.has(end)) return false
      seen.add(end)
      return true
    })
    paths.push(...frontier.filter((path) => graph.entryPoints.includes(path.at(-1) ?? '')))
  }
  return paths
}

/** From a workload to the services in front of it; from a service to the workloads that call it. */
function stepsFrom(graph: Graph, id: string): string[] {
  const services = graph.services.filter((s) => s.workloads.includes(id)).map((s) => s.id)
  const callers = graph.edges.filter((e) => e.to === id).map((e) => e.from)
  return [...services, ...callers]
}
