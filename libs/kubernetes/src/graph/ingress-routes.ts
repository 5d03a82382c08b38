import { type Graph, type Route, type Service } from '@ordeal/shared'
import {
  idOf,
  type Json,
  type JsonMap,
  type KubernetesObject,
  mapAt,
  mapsAt,
  nameOf,
  numberAt,
  textAt,
  textsAt,
} from '../input/kubernetes-object.js'

/** Annotations by which controllers change a request, answer it themselves or keep it away. */
const CHANGES = /rewrite|regex|redirect|middleware|strip|snippet|auth|canary|protocol|whitelist|allowlist|denylist/

interface Given {
  readonly ingress: KubernetesObject
  readonly services: ReadonlyMap<string, { readonly service: Service; readonly object: KubernetesObject }>
}

/** The rules of Ingresses that lead to services of the application, default backends among them, as they are written. */
export function ingressRoutes(objects: readonly KubernetesObject[], { services }: Pick<Graph, 'services'>): Route[] {
  const known = new Map(services.map((service) => [nameOf(service.id), service]))
  const byName = new Map(
    objects.flatMap((object) => {
      const service = object.kind === 'Service' ? known.get(object.metadata.name) : undefined
      return service ? [[object.metadata.name, { service, object }] as const] : []
    }),
  )
  return objects.filter(isIngress).flatMap((ingress) => routesOf({ ingress, services: byName }))
}

const isIngress = ({ apiVersion, kind }: KubernetesObject): boolean =>
  kind === 'Ingress' && apiVersion === 'networking.k8s.io/v1'

function routesOf(given: Given): Route[] {
  const { spec } = given.ingress
  const rules = mapsAt(spec, 'rules').flatMap((rule) => {
    const host = textAt(rule, 'host')
    return mapsAt(mapAt(rule, 'http'), 'paths').flatMap((one) => {
      const path = textAt(one, 'path') ?? '/'
      return routeTo(given, { host, path, exact: textAt(one, 'pathType') === 'Exact' }, mapAt(one, 'backend'))
    })
  })
  const rest = routeTo(given, { host: null, path: '/', exact: false }, mapAt(spec, 'defaultBackend'))
  return [...rules, ...rest]
}

type At = Pick<Route, 'host' | 'path' | 'exact'>

function routeTo({ ingress, services }: Given, at: At, backend: JsonMap): Route[] {
  const to = services.get(textAt(mapAt(backend, 'service'), 'name') ?? '')
  const [first] = to?.service.ports ?? []
  if (!to || !first) return []
  const port = portOf(to.object, mapAt(backend, 'service', 'port'))
  const opaque = port === undefined ? 'it leads to a port that the service does not have' : opacityOf(ingress, at)
  const leads = { ingress: idOf(ingress), ...at, service: to.service.id, port: port ?? first.port }
  return [opaque === null ? leads : { ...leads, opaque }]
}

/** A port that the service has: the number itself, or that of the name. */
function portOf({ spec }: KubernetesObject, wanted: JsonMap): number | undefined {
  const { number, name } = wanted
  const meant = (port: JsonMap): boolean => (name === undefined ? port.port === number : port.name === name)
  const port = mapsAt(spec, 'ports').find(meant)
  return (port && numberAt(port, 'port')) ?? undefined
}

/** Why the answer to a plain request along the rule need not be the application's; null where it must be. */
function opacityOf({ metadata, spec }: KubernetesObject, { host, path }: At): string | null {
  const changing = Object.keys(mapAt(metadata, 'annotations')).filter((key) => CHANGES.test(key))
  if (changing.length > 0) return `its annotations change requests (${changing.join(', ')})`
  if (isSecured(spec, host)) return 'it is served over TLS'
  return /[^\w\-./~%]/.test(path) ? `its path ${path} is a pattern` : null
}

const isSecured = (spec: Json | undefined, host: string | null): boolean =>
  mapsAt(spec, 'tls').some((tls) => {
    const hosts = textsAt(tls, 'hosts')
    return hosts.length === 0 || host === null || hosts.includes(host)
  })
