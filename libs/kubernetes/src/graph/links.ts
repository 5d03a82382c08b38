import { type Graph } from '@ordeal/shared'
import { idOf, type KubernetesObject, mapAt, mapsAt, stringsAt, textAt } from '../input/kubernetes-object.js'
import { LabelIndex } from './label-index.js'
import { autoscalersOf } from './pod-template.js'
import { referencesOf } from './references.js'
import { isRoute, routedServices } from './routes.js'

/** What the object at the head of a link does for, or to, the one at its end. */
export type LinkKind = 'calls' | 'selects' | 'routes' | 'configures' | 'stores' | 'scales' | 'protects' | 'shields'

/** A relation between two objects of an application, with what shows it and how sure that is (0–1). */
export interface Link {
  readonly from: string
  readonly to: string
  readonly kind: LinkKind
  readonly evidence: string
  readonly confidence: number
}

/** Every relation between an application's objects; those of workloads to services are the graph's own edges. */
export function linksOf(graph: Graph, objects: readonly KubernetesObject[]): Link[] {
  const known = new Set(objects.map(idOf))
  const pods = new LabelIndex(objects)
  const links = [
    ...graphLinks(graph),
    ...[...autoscalersOf(objects)].map(([to, scaler]) => sure(idOf(scaler), to, 'scales', 'its scaleTargetRef')),
    ...objects.flatMap((object) => [...routeLinks(object), ...selectingLinks(object, pods), ...referenceLinks(object)]),
  ]
  return unique(links.filter((link) => known.has(link.from) && known.has(link.to)))
}

/** The relations that the graph itself knows: who calls whom, and what stands behind a service. */
export const graphLinks = (graph: Graph): Link[] => [
  ...graph.edges.map((edge): Link => ({ ...edge, kind: 'calls' })),
  ...graph.services.flatMap((service) =>
    service.workloads.map((to) => sure(service.id, to, 'selects', 'its selector')),
  ),
]

const sure = (from: string, to: string, kind: LinkKind, evidence: string): Link => ({
  ...{ from, to, kind, evidence },
  confidence: 1,
})

const routeLinks = (object: KubernetesObject): Link[] =>
  isRoute(object)
    ? routedServices(object).map((name) => sure(idOf(object), `Service/${name}`, 'routes', 'a backend of it'))
    : []

const SELECTING: Record<string, { kind: LinkKind; path: string[] }> = {
  PodDisruptionBudget: { kind: 'protects', path: ['spec', 'selector', 'matchLabels'] },
  NetworkPolicy: { kind: 'shields', path: ['spec', 'podSelector', 'matchLabels'] },
}

function selectingLinks(object: KubernetesObject, pods: LabelIndex): Link[] {
  const how = SELECTING[object.kind]
  if (!how) return []
  return pods
    .select(stringsAt(object, ...how.path))
    .map((o) => sure(idOf(object), idOf(o), how.kind, 'its pod selector'))
}

const referenceLinks = (object: KubernetesObject): Link[] => [
  ...referencesOf(object).map(({ kind, name, use }) =>
    sure(`${kind}/${name}`, idOf(object), kind === 'PersistentVolumeClaim' ? 'stores' : 'configures', use),
  ),
  ...mapsAt(mapAt(object, 'spec'), 'tls').flatMap((entry) => {
    const name = textAt(entry, 'secretName')
    return name === null ? [] : [sure(`Secret/${name}`, idOf(object), 'configures', 'tls')]
  }),
]

/** One link of a kind between two objects, with all that shows it. */
function unique(links: readonly Link[]): Link[] {
  const byKey = new Map<string, Link>()
  for (const link of links) {
    const key = `${link.kind} ${link.from} ${link.to}`
    const known = byKey.get(key)
    if (!known) byKey.set(key, link)
    else if (!known.evidence.split(', ').includes(link.evidence)) {
      byKey.set(key, { ...known, evidence: `${known.evidence}, ${link.evidence}` })
    }
  }
  return [...byKey.values()]
}
