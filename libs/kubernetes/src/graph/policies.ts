import { type Service } from '@ordeal/shared'
import { idOf, type JsonMap, type KubernetesObject, mapAt, mapsAt, stringsAt } from '../input/kubernetes-object.js'
import { type Edge } from './build-graph.js'
import { LabelIndex } from './label-index.js'
import { isWorkload } from './pod-template.js'

/** A policy says who may call, not who does. */
const ALLOWED = 0.5

/** Who may call which services, as NetworkPolicies name them by the labels of both sides. */
export function policyEdges(objects: readonly KubernetesObject[], services: readonly Service[]): Edge[] {
  const policies = objects.filter((o) => o.kind === 'NetworkPolicy')
  if (!policies.length) return []
  const pods = new LabelIndex(objects.filter(isWorkload))
  const select = (selector: JsonMap): string[] => pods.select(stringsAt(selector, 'matchLabels')).map(idOf)
  const allowed = policies.flatMap((policy) => {
    const own = select(mapAt(policy, 'spec', 'podSelector'))
    const others = (rules: 'ingress' | 'egress', side: 'from' | 'to'): string[] =>
      mapsAt(mapAt(policy, 'spec'), rules)
        .flatMap((rule) => mapsAt(rule, side))
        .filter((peer) => !peer.namespaceSelector)
        .flatMap((peer) => select(mapAt(peer, 'podSelector')))
    const pairs = [
      ...others('ingress', 'from').flatMap((from) => own.map((to) => ({ from, to }))),
      ...others('egress', 'to').flatMap((to) => own.map((from) => ({ from, to }))),
    ]
    return pairs.map((pair) => ({ ...pair, evidence: `${idOf(policy)} lets it through` }))
  })
  return allowed.flatMap(({ from, to, evidence }) =>
    services
      .filter((s) => s.workloads.includes(to) && from !== to)
      .map((s) => ({ from, to: s.id, evidence, confidence: ALLOWED })),
  )
}
