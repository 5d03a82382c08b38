import { type Graph } from '@ordeal/shared'

/**
 * How many calls away from a user each workload is: 0 for those behind an entry point, 1 for what they call, and so
 * on. A workload that no user's request reaches is missing.
 */
export function reachOf(graph: Graph): ReadonlyMap<string, number> {
  const behind = new Map(graph.services.map((s) => [s.id, s.workloads]))
  const reach = new Map<string, number>()
  let frontier = graph.entryPoints.flatMap((id) => behind.get(id) ?? [])
  for (let distance = 0; frontier.length > 0; distance++) {
    const fresh = frontier.filter((id) => !reach.has(id))
    fresh.forEach((id) => reach.set(id, distance))
    frontier = graph.edges.filter((e) => fresh.includes(e.from)).flatMap((e) => behind.get(e.to) ?? [])
  }
  return reach
}
