import { type Graph, type Service } from '@ordeal/shared'
import { idOf, type KubernetesObject, mapAt, mapsAt, nameOf, textAt } from '../input/kubernetes-object.js'
import { containersOf, isWorkload } from './pod-template.js'
import { isRoute, routedServices } from './routes.js'
import { holdsData } from './state.js'

const OUTSIDE_TYPES = new Set(['LoadBalancer', 'NodePort'])

/** Edges below this are likely by convention only; they do not make of a workload one that users must have a way to. */
const SHOWN = 0.8

/**
 * Services that users meet first: those that are exposed, then those that nothing else in the application depends on.
 * Where something is exposed, a service that neither calls nor is called is taken for one whose name stands in code
 * only, and a system that keeps data for one that serves the others. Where nothing is left, every service counts. So
 * does one that went astray: an application whose door leads nowhere does not work, however well its pods do.
 */
export function entryPointsOf(
  graph: Omit<Graph, 'entryPoints' | 'application'>,
  objects: readonly KubernetesObject[],
): string[] {
  const serving = [...graph.services.filter((s) => s.workloads.length && s.ports.length), ...astray(graph, objects)]
  const exposed = exposedNames(objects)
  const headless = new Set(objects.filter(isHeadless).map((o) => o.metadata.name))
  const called = new Set(graph.edges.map((e) => e.to))
  const calling = new Set(graph.edges.filter((e) => e.confidence >= SHOWN).map((e) => e.from))
  const stores = new Set(objects.filter(holdsData).map(idOf))
  const open = serving.filter((s) => exposed.has(nameOf(s.id)))
  const isDoor = (s: Service): boolean => open.some((o) => sameWorkloads(o, s))
  const isRoot = (s: Service): boolean => !open.length || s.workloads.some((w) => calling.has(w))
  const isInner = (s: Service): boolean =>
    (s.workloads.length > 0 && s.workloads.every((w) => stores.has(w))) ||
    (headless.has(nameOf(s.id)) && hasTwin(s, serving)) ||
    onlyMeasures(s)
  const first = serving
    .filter((s) => !open.includes(s) && !called.has(s.id) && !isCalledOtherwise(s, called, serving))
    .filter((s) => !isDoor(s) && !isInner(s) && isRoot(s))
  const found = [...open, ...first]
  return (found.length ? found : serving).map((s) => s.id)
}

/**
 * Services that select no pod, though one that no other service leads to listens where they point: they are meant for it
 * and miss it by a label.
 */
function astray({ services }: Pick<Graph, 'services'>, objects: readonly KubernetesObject[]): Service[] {
  const served = new Set(services.flatMap((s) => s.workloads))
  const missed = objects.filter((o) => isWorkload(o) && !served.has(idOf(o)))
  const ports = missed.flatMap((o) => containersOf(o).flatMap((c) => mapsAt(c, 'ports')))
  const isMeant = (s: Service): boolean =>
    s.ports.some(({ targetPort }) => ports.some((p) => p.containerPort === targetPort || p.name === targetPort))
  return services.filter((s) => !s.workloads.length && Object.keys(s.selector).length > 0 && isMeant(s))
}

/** Conventional ports of what others collect measurements from: no user asks for them. */
const MEASURING = new Set([9090, 9100, 9113, 9121, 9187, 9404, 9464])
const onlyMeasures = (service: Service): boolean =>
  /(^|-)(metrics|exporter|monitoring)$/.test(nameOf(service.id)) && service.ports.every((p) => MEASURING.has(p.port))

/** Two services for the same workloads, as a headless one beside a usual one. */
const hasTwin = (service: Service, all: readonly Service[]): boolean =>
  all.some((other) => other !== service && sameWorkloads(other, service))

const isCalledOtherwise = (service: Service, called: ReadonlySet<string>, all: readonly Service[]): boolean =>
  all.some((other) => other !== service && called.has(other.id) && sameWorkloads(other, service))

const sameWorkloads = (a: Service, b: Service): boolean =>
  a.workloads.length > 0 &&
  a.workloads.length === b.workloads.length &&
  a.workloads.every((w) => b.workloads.includes(w))

const isHeadless = (object: KubernetesObject): boolean =>
  object.kind === 'Service' && mapAt(object, 'spec').clusterIP === 'None'

function exposedNames(objects: readonly KubernetesObject[]): Set<string> {
  const names = objects.flatMap((object) => {
    if (isRoute(object)) return routedServices(object)
    const outside = object.kind === 'Service' && OUTSIDE_TYPES.has(textAt(mapAt(object, 'spec'), 'type') ?? '')
    return outside ? [object.metadata.name] : []
  })
  return new Set(names)
}
