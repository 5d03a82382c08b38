import { type Kernel } from '../kernel/kernel.js'
import { type RandomStream } from '../kernel/random.js'
import { type Change } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { type EndpointSlice, keyOf, type Service } from '../controllers/objects.js'
import { type Peer } from './peer.js'

/** How long a node's kube-proxy takes to program a change: it watches, then syncs at most once a second. */
const PROGRAMMING_MS: readonly [number, number] = [100, 1000]
const CLUSTER_DOMAIN = 'cluster.local'

/** An address that accepts, or refuses, the connection. */
export interface Route {
  readonly ip: string
  readonly port: number
}
export type NoRoute = 'unknown-host' | 'lookup-failed' | 'no-endpoints' | 'unreachable'

/** A parsed URL, or a name and port, to be resolved at the moment of each call. */
export interface Destination {
  readonly host: string
  readonly port: number
  readonly path: string
  /** What the request names as its host (`Host`), where that is not `host`. */
  readonly authority?: string
}

/** How long a client stays with its endpoint, where the service does not say. */
const AFFINITY_SECONDS = 10_800

/** One service as one node's kube-proxy has it: its ports' endpoints at the last sync. */
interface View {
  readonly headless: boolean
  /** How long a client stays with the endpoint that it had; 0 where each connection is drawn anew. */
  readonly affinityMs: number
  readonly ports: ReadonlyMap<number, readonly Route[]>
  /** For headless services: the addresses that the cluster's DNS answers with. */
  readonly addresses: readonly string[]
  /** For headless services: the addresses of pods by the host names that they have in it. */
  readonly hosts: ReadonlyMap<string, string>
}

/** Services by name and by cluster IP, as each node sees them; a change reaches every node after its own delay. */
export class Routing {
  private readonly names = new Map<string, Service>()
  /** Names for which services of type ExternalName stand. */
  private readonly external = new Map<string, string>()
  private readonly byIp = new Map<string, string>()
  private readonly slices = new Map<string, Map<string, EndpointSlice>>()
  private readonly views: Map<string, View>[]
  private readonly dirty: Set<string>[]
  private readonly newest = new Map<string, View>()
  private readonly picks: RandomStream
  private readonly delays: RandomStream
  /** Endpoints of clients of services with affinity, and when they were last used. */
  private readonly stays = new Map<string, Route & { readonly at: number }>()
  /** What a host name means, by the namespace in which it is used. */
  private readonly resolved = new Map<string, Map<string, string>>()

  constructor(
    private readonly kernel: Kernel,
    store: ObjectStore,
    nodes: number,
  ) {
    this.picks = kernel.stream('routing/pick')
    this.delays = kernel.stream('routing/programming')
    this.views = Array.from({ length: nodes }, () => new Map<string, View>())
    this.dirty = Array.from({ length: nodes }, () => new Set<string>())
    store.subscribe('services', this, 'serviceChanged')
    store.subscribe('endpointslices.discovery.k8s.io', this, 'sliceChanged')
  }

  /** Where a connection to the destination goes when `from` opens it now. */
  pick({ host, port }: Destination, from: Peer): Route | NoRoute {
    const key = this.serviceKey(host, from.namespace)
    if (key === undefined) return isAddress(host) ? { ip: host, port } : this.pickElsewhere({ host, port }, from)
    const view = this.views[from.node]?.get(key)
    if (!view) return 'no-endpoints'
    if (view.headless) {
      return view.addresses.length === 0 ? 'unknown-host' : { ip: this.choose(view.addresses), port }
    }
    const routes = view.ports.get(port)
    // No rule of kube-proxy matches a port that the service does not have: the packet leaves and is lost.
    if (!routes) return 'unreachable'
    if (routes.length === 0) return 'no-endpoints'
    return view.affinityMs > 0
      ? this.stay(`${key}:${port}`, from, { routes, forMs: view.affinityMs })
      : this.choose(routes)
  }

  /** A ready endpoint behind a service's port, for who asks endpoints himself; undefined where there is none. */
  endpointOf(service: string, port: number, node: number): Route | undefined {
    const routes = this.views[node]?.get(service)?.ports.get(port) ?? []
    return routes.length === 0 ? undefined : this.choose(routes)
  }

  /** The endpoint that the client had not long ago, as long as it is one; else any. */
  private stay(service: string, from: Peer, { routes, forMs }: { routes: readonly Route[]; forMs: number }): Route {
    const client = `${service} ${from.ip}`
    const last = this.stays.get(client)
    const same =
      last && this.kernel.now - last.at <= forMs && routes.find(({ ip, port }) => ip === last.ip && port === last.port)
    const route = same || this.choose(routes)
    this.stays.set(client, { ...route, at: this.kernel.now })
    return route
  }

  /** Whether the cluster's name servers have an answer to a full name. */
  knows(name: string): boolean {
    if (!name.endsWith(`.svc.${CLUSTER_DOMAIN}`)) return false
    const service = serviceNamed(name, '')
    return this.names.has(service) || this.external.has(service)
  }

  /** Names that are no service's own: of a pod in a headless service, or another name that stands for one. */
  private pickElsewhere({ host, port }: Omit<Destination, 'path'>, from: Peer): Route | NoRoute {
    const external = this.external.get(serviceNamed(host, from.namespace))
    if (external !== undefined)
      return external === host ? 'unknown-host' : this.pick({ host: external, port, path: '' }, from)
    const named = podNamed(host, from.namespace)
    const ip = named && this.views[from.node]?.get(named.service)?.hosts.get(named.hostname)
    return ip ? { ip, port } : 'unknown-host'
  }

  private choose<T>(list: readonly T[]): T {
    return list.length === 1 ? (list[0] as T) : this.picks.pick(list)
  }

  private serviceKey(host: string, namespace: string): string | undefined {
    const byIp = this.byIp.get(host)
    if (byIp !== undefined) return byIp
    let known = this.resolved.get(namespace)
    if (!known) this.resolved.set(namespace, (known = new Map<string, string>()))
    let key = known.get(host)
    if (key === undefined) known.set(host, (key = serviceNamed(host, namespace)))
    return this.names.has(key) ? key : undefined
  }

  serviceChanged({ type: change, object }: Change): void {
    const service = object as Service
    const deleted = change === 'DELETED'
    const key = keyOf(service)
    const ip = service.spec.clusterIP
    const { type, externalName = '' } = service.spec
    this.external.delete(key)
    if (type === 'ExternalName') {
      this.names.delete(key)
      if (!deleted) this.external.set(key, externalName)
      return
    }
    if (deleted) this.names.delete(key)
    else this.names.set(key, service)
    if (ip && ip !== 'None') {
      if (deleted) this.byIp.delete(ip)
      else this.byIp.set(ip, key)
    }
    this.touch(key)
  }

  sliceChanged({ type, object }: Change): void {
    const slice = object as EndpointSlice
    const deleted = type === 'DELETED'
    const service = slice.metadata.labels?.['kubernetes.io/service-name']
    if (service === undefined) return
    const key = `${slice.metadata.namespace ?? ''}/${service}`
    let slices = this.slices.get(key)
    if (!slices) this.slices.set(key, (slices = new Map<string, EndpointSlice>()))
    if (deleted) slices.delete(slice.metadata.name)
    else slices.set(slice.metadata.name, slice)
    this.touch(key)
  }

  private touch(key: string): void {
    this.newest.delete(key)
    this.dirty.forEach((dirty, node) => {
      dirty.add(key)
      if (dirty.size > 1) return
      this.kernel.after(this.delays.between(...PROGRAMMING_MS), this, 'sync', node)
    })
  }

  /** Takes over everything that changed since the node's last sync. For the kernel. */
  sync(node: number): void {
    const dirty = this.dirty[node]
    const views = this.views[node]
    if (!dirty || !views) return
    for (const key of dirty) {
      const service = this.names.get(key)
      if (service) views.set(key, this.newestView(key, service))
      else views.delete(key)
    }
    dirty.clear()
  }

  /** Nodes that take over the same state share its view. */
  private newestView(key: string, service: Service): View {
    let view = this.newest.get(key)
    if (!view) this.newest.set(key, (view = viewOf(service, [...(this.slices.get(key)?.values() ?? [])])))
    return view
  }
}

function viewOf(service: Service, slices: readonly EndpointSlice[]): View {
  const ports = new Map<number, Route[]>()
  for (const port of service.spec.ports ?? []) {
    ports.set(port.port, routesOf(slices, port.name ?? ''))
  }
  const addresses = slices.flatMap((slice) => usable(slice.endpoints).flatMap((endpoint) => endpoint.addresses))
  const headless = service.spec.clusterIP === 'None'
  return {
    headless,
    affinityMs: affinityOf(service),
    ports,
    addresses: [...new Set(addresses)],
    hosts: headless ? hostsOf(slices) : NO_HOSTS,
  }
}

function affinityOf({ spec }: Service): number {
  if (spec.sessionAffinity !== 'ClientIP') return 0
  return (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? AFFINITY_SECONDS) * 1000
}

const NO_HOSTS: ReadonlyMap<string, string> = new Map()

function hostsOf(slices: readonly EndpointSlice[]): ReadonlyMap<string, string> {
  const named = slices.flatMap(({ endpoints }) => usable(endpoints).filter(({ hostname }) => hostname !== undefined))
  return new Map(named.map(({ hostname = '', addresses }) => [hostname, addresses[0] ?? '']))
}

function routesOf(slices: readonly EndpointSlice[], portName: string): Route[] {
  return slices.flatMap((slice) => {
    const port = slice.ports.find(({ name }) => (name ?? '') === portName)
    if (!port) return []
    return usable(slice.endpoints).flatMap(({ addresses }) => addresses.map((ip) => ({ ip, port: port.port })))
  })
}

/** Ready endpoints, or, when there is none, those that still serve while they terminate (as kube-proxy since 1.28). */
function usable(endpoints: EndpointSlice['endpoints']): EndpointSlice['endpoints'] {
  const ready = endpoints.filter(({ conditions }) => conditions.ready)
  return ready.length > 0 ? ready : endpoints.filter(({ conditions }) => conditions.serving && conditions.terminating)
}

const withoutDomain = (host: string): string =>
  host.replace(/\.$/, '').replace(new RegExp(`\\.svc(\\.${CLUSTER_DOMAIN.replace('.', '\\.')})?$`), '')

/** `namespace/name` for the forms that resolve in a pod: name, name.ns, name.ns.svc, name.ns.svc.cluster.local. */
function serviceNamed(host: string, namespace: string): string {
  const [name, inNamespace, ...rest] = withoutDomain(host).split('.')
  return rest.length > 0 ? '' : `${inNamespace ?? namespace}/${name}`
}

/** The pod and its service that a name can mean: pod.service, pod.service.ns, with or without the cluster's domain. */
function podNamed(host: string, namespace: string): { hostname: string; service: string } | null {
  const [hostname = '', service, inNamespace = namespace, ...rest] = withoutDomain(host).split('.')
  return service === undefined || rest.length > 0 ? null : { hostname, service: `${inNamespace}/${service}` }
}

/** Four numbers: nothing to look up. */
export const isAddress = (host: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(host)

/** Reads `http://host[:port][/path]`. Null for anything that is not plain HTTP. */
export function parseDestination(url: string): Destination | null {
  const parts = /^http:\/\/([^/:?#]+)(?::(\d+))?([/?][^#]*)?/.exec(url)
  if (!parts) return null
  const path = (parts[3] ?? '/').replace(/\?.*$/, '')
  const host = parts[1] === 'localhost' ? '127.0.0.1' : (parts[1] ?? '')
  return { host, port: Number(parts[2] ?? 80), path: path.startsWith('/') ? path : `/${path}` }
}
