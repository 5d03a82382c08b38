import { isMap, type Json, type JsonMap, type KubernetesObject, mapAt, textAt } from '../input/kubernetes-object.js'

/** Kinds that route traffic from outside to services. */
const ROUTES = new Set([
  ...['Ingress', 'HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute'],
  ...['VirtualService', 'IngressRoute', 'IngressRouteTCP', 'HTTPProxy', 'Mapping', 'Route'],
])

export const isRoute = (object: KubernetesObject): boolean => ROUTES.has(object.kind)

/** A service to which a route leads; `port` is null where the route leaves it open. */
export interface Backend {
  readonly name: string
  readonly port: number | string | null
  /** Where it stands in the route, as segments of a JSON pointer. */
  readonly path: readonly (string | number)[]
}

/** Every place in a route that names a service of its own namespace. */
export const routedBackends = (route: KubernetesObject): Backend[] => backendsIn(route.spec, ['spec'], route)

/** The names of the services to which a route leads, each once. */
export const routedServices = (route: KubernetesObject): string[] => [
  ...new Set(routedBackends(route).map(({ name }) => name)),
]

function backendsIn(value: Json | undefined, path: Backend['path'], route: KubernetesObject): Backend[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => backendsIn(item, [...path, index], route))
  if (!isMap(value)) return []
  const own = backendOf(value, path, route)
  return [
    ...(own ? [own] : []),
    ...Object.entries(value).flatMap(([key, below]) => backendsIn(below, [...path, key], route)),
  ]
}

/** Lists whose items name services. */
const REFERENCES = new Set<string | number | undefined>(['backendRefs', 'services'])

/** Backends are named differently by each kind of route: `service.name`, `serviceName`, `backendRefs[].name`, `host`. */
function backendOf(value: JsonMap, path: Backend['path'], route: KubernetesObject): Backend | null {
  const key = path.at(-1)
  if (key === 'service') {
    const { number, name } = mapAt(value, 'port')
    return backend(textAt(value, 'name'), number ?? name, path)
  }
  if (key === 'destination') return backend(hostOf(textAt(value, 'host') ?? ''), mapAt(value, 'port').number, path)
  if (key === 'to' && route.kind === 'Route') return backend(textAt(value, 'name'), undefined, path)
  if (REFERENCES.has(path.at(-2))) return reference(value, path, route)
  if (typeof value.serviceName === 'string') return backend(value.serviceName, value.servicePort, path)
  return backend(hostOf(textAt(value, 'service') ?? ''), undefined, path)
}

const backend = (name: string | null, port: Json | undefined, path: Backend['path']): Backend | null =>
  name ? { name, port: portOf(port), path } : null

/** A reference may mean another kind than a Service, or a Service of another namespace. */
function reference(value: JsonMap, path: Backend['path'], route: KubernetesObject): Backend | null {
  const isService = (value.kind ?? 'Service') === 'Service' && (value.group ?? '') === ''
  const isOwn = (value.namespace ?? route.metadata.namespace) === route.metadata.namespace
  const name = textAt(value, 'name')
  return isService && isOwn && name !== null ? { name, port: portOf(value.port), path } : null
}

const portOf = (port: Json | undefined): number | string | null =>
  typeof port === 'number' || typeof port === 'string' ? port : null

/** `http://web.shop:80` → `web`; '' for a host on the internet. */
function hostOf(address: string): string {
  const host = address.replace(/^[a-z]+:\/\//, '').split(/[:/]/)[0] ?? ''
  const [first = '', , third] = host.split('.')
  return host.split('.').length <= 2 || third === 'svc' ? first : ''
}
