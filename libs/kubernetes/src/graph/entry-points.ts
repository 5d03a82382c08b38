import { type Graph, type Service } from '@ordeal/shared'
import { isMap, type Json, type KubernetesObject, mapAt, nameOf, textAt } from '../input/kubernetes-object.js'

/** Kinds that route traffic from outside to services. */
const ROUTES = new Set(['Ingress', 'HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'VirtualService', 'IngressRoute'])
const OUTSIDE_TYPES = new Set(['LoadBalancer', 'NodePort'])

/**
 * Services that users meet first: those that are exposed, then those that nothing else in the application depends on.
 * Where everything depends on something, every service counts.
 */
export function entryPointsOf(graph: Omit<Graph, 'entryPoints'>, objects: readonly KubernetesObject[]): string[] {
  const serving = graph.services.filter((s) => s.workloads.length && s.ports.length)
  const exposed = exposedNames(objects)
  const headless = new Set(objects.filter(isHeadless).map((o) => o.metadata.name))
  const called = new Set(graph.edges.map((e) => e.to))
  const isOpen = (s: Service): boolean => exposed.has(nameOf(s.id))
  const isFirst = (s: Service): boolean => !isOpen(s) && !called.has(s.id) && !isCalledOtherwise(s, called, serving)
  const isDoor = (s: Service): boolean => open.some((o) => sameWorkloads(o, s))
  const open = serving.filter(isOpen)
  const first = serving.filter(isFirst)
  const found = [...open, ...first.filter((s) => !isDoor(s) && !(headless.has(nameOf(s.id)) && hasTwin(s, serving)))]
  return (found.length ? found : serving).map((s) => s.id)
}

/** Two services for the same workloads, as a headless one beside a usual one. */
const hasTwin = (service: Service, all: readonly Service[]): boolean =>
  all.some((other) => other !== service && sameWorkloads(other, service))

const isCalledOtherwise = (service: Service, called: ReadonlySet<string>, all: readonly Service[]): boolean =>
  all.some((other) => other !== service && called.has(other.id) && sameWorkloads(other, service))

const sameWorkloads = (a: Service, b: Service): boolean =>
  a.workloads.length === b.workloads.length && a.workloads.every((w) => b.workloads.includes(w))

const isHeadless = (object: KubernetesObject): boolean =>
  object.kind === 'Service' && mapAt(object, 'spec').clusterIP === 'None'

function exposedNames(objects: readonly KubernetesObject[]): Set<string> {
  const names = objects.flatMap((object) => {
    if (ROUTES.has(object.kind)) return backendNames(object.spec)
    const outside = object.kind === 'Service' && OUTSIDE_TYPES.has(textAt(mapAt(object, 'spec'), 'type') ?? '')
    return outside ? [object.metadata.name] : []
  })
  return new Set(names)
}

/** Backends are named differently by each kind of route: `service.name`, `serviceName`, `backendRefs[].name`, `host`. */
function backendNames(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(backendNames)
  if (!isMap(value)) return []
  const own = [textAt(mapAt(value, 'service'), 'name'), textAt(value, 'serviceName')]
  const refs = [...list(value.backendRefs), ...list(value.services)].map((ref) => textAt(ref, 'name'))
  const host = textAt(mapAt(value, 'destination'), 'host')?.split('.')[0] ?? null
  return [...own, ...refs, host].filter((name) => name !== null).concat(Object.values(value).flatMap(backendNames))
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
