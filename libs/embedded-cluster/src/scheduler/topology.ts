import { matchesSelector, type LabelSelector } from '../schema/selectors.js'
import { type Pod, type TopologySpreadConstraint } from '../controllers/objects.js'
import { isWanted } from './node-affinity.js'
import { type NodeLoad } from './node-load.js'
import { never, unless, type Filter, type Scene } from './scene.js'
import { hasUntolerated } from './taints.js'

const REASON = "node(s) didn't match pod topology spread constraints"

/** One more pod on the node keeps every hard constraint. */
export const spread: Filter = (scene, load) => {
  for (const constraint of hardConstraints(scene.pod)) {
    const domain = load.node.metadata.labels?.[constraint.topologyKey]
    if (domain === undefined) return never(`${REASON} (missing required label)`)
    const counts = scene.once(constraint, () => domainCounts(scene, constraint))
    const few = counts.size < (constraint.minDomains ?? 1)
    const least = few ? 0 : Math.min(...counts.values())
    const itself = matchesSelector(selectorOf(scene.pod, constraint), scene.pod.metadata.labels) ? 1 : 0
    if ((counts.get(domain) ?? 0) + itself - least > constraint.maxSkew) return unless(REASON)
  }
  return null
}

const hardConstraints = ({ spec }: Pod): TopologySpreadConstraint[] =>
  (spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')

/** How many pods that the constraint counts are in each of its domains. */
export function domainCounts(scene: Scene, constraint: TopologySpreadConstraint): Map<string, number> {
  const { pod, loads } = scene
  const counts = new Map<string, number>()
  const onNode = countByNode(scene, selectorOf(pod, constraint))
  for (const { node } of loads) {
    const domain = node.metadata.labels?.[constraint.topologyKey]
    if (domain === undefined || !isCounted(pod, constraint, node)) continue
    counts.set(domain, (counts.get(domain) ?? 0) + (onNode.get(node.metadata.name) ?? 0))
  }
  return counts
}

/** Pods of the scene's namespace that a selector means, by node. */
function countByNode({ pod, nodes }: Scene, selector: LabelSelector | undefined): Map<string, number> {
  const { namespace = '' } = pod.metadata
  const counts = nodes.groups.countByNode(namespace, selector)
  for (const { metadata, spec } of nodes.gone) {
    const counted = metadata.namespace === namespace && metadata.deletionTimestamp === undefined
    if (!counted || !matchesSelector(selector, metadata.labels)) continue
    counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) - 1)
  }
  return counts
}

/** Nodes on which the pod may not run do not count, as the constraint's policies say. */
function isCounted(pod: Pod, constraint: TopologySpreadConstraint, node: NodeLoad['node']): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint
  if (nodeAffinityPolicy === 'Honor' && !isWanted(pod, node)) return false
  return nodeTaintsPolicy === 'Ignore' || !hasUntolerated(pod, node)
}

function selectorOf(
  pod: Pod,
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
): LabelSelector | undefined {
  if (!labelSelector || matchLabelKeys.length === 0) return labelSelector
  const own = matchLabelKeys.flatMap((key) => {
    const value = pod.metadata.labels?.[key]
    return value === undefined ? [] : [[key, value] as const]
  })
  return { ...labelSelector, matchLabels: { ...labelSelector.matchLabels, ...Object.fromEntries(own) } }
}
