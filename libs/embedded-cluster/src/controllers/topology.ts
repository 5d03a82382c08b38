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
    let matching = 0
    for (const { metadata } of pods.values()) {
      const alive = metadata.namespace === pod.metadata.namespace && metadata.deletionTimestamp === undefined
      if (alive && matchesSelector(labelSelector, metadata.labels)) matching += 1
    }
    counts.set(domain, (counts.get(domain) ?? 0) + matching)
  }
  return counts
}
