import { matchesSelector } from '../schema/selectors.js'
import { type Pod, type TopologySpreadConstraint } from './objects.js'
import { type NodeLoad } from './node-load.js'

/** How many pods that the constraint counts are in each of its domains. */
export function domainCounts(
  pod: Pod,
  { topologyKey, labelSelector }: TopologySpreadConstraint,
  loads: readonly NodeLoad[],
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { node, pods } of loads) {
    const domain = node.metadata.labels?.[topologyKey]
    if (domain === undefined) continue
    const matching = pods.filter(
      ({ metadata }) =>
        metadata.namespace === pod.metadata.namespace &&
        metadata.deletionTimestamp === undefined &&
        matchesSelector(labelSelector, metadata.labels),
    )
    counts.set(domain, (counts.get(domain) ?? 0) + matching.length)
  }
  return counts
}
