import { type Cluster } from '../controllers/cluster.js'
import { keyOf, type Service } from '../controllers/objects.js'
import { type Change } from '../store/object.js'
import { type Call, type CallError, type Caller, type Worker } from '../traffic/call.js'
import { type Network } from '../traffic/network.js'
import { Peer, type Server } from '../traffic/peer.js'
import { type Ingress, type IngressBackend, routeRequest } from './route-request.js'

/** Outside of every node's pod network, so that no fault selects it. */
const ADDRESS = '10.245.0.2'
const PORT = 80
/** How long the address of a new Ingress takes to stand in its status. */
const PUBLISH_MS = 1000
/** How long it waits for a service's answer (ingress-nginx: proxy-read-timeout). */
const ANSWER_MS = 60_000

const NOT_FOUND = 404
const BAD_GATEWAY = 502
const UNAVAILABLE = 503
const GATEWAY_TIMEOUT = 504

/** Annotations that say something to others than an ingress controller. */
const NOT_FOR_CONTROLLERS = /^(kubectl\.kubernetes\.io|ordeal\.dev|meta\.helm\.sh|app\.kubernetes\.io)\//

/**
 * One ingress controller, which serves every Ingress of every class at one address over plain HTTP. It hands each
 * request to a ready endpoint of the service as its node's kube-proxy knows them, once: a connection that fails is 502,
 * no endpoint 503, no answer in time 504, and a request that no rule takes 404.
 */
export class IngressController implements Server {
  private readonly peer = new Peer(ADDRESS, 0, '')

  constructor(
    private readonly cluster: Cluster,
    private readonly network: Network,
  ) {
    this.peer.attach(this)
    network.join(this.peer)
    cluster.store.subscribe('ingresses.networking.k8s.io', this, 'ingressChanged')
  }

  listens(port: number): boolean {
    return port === PORT
  }

  ingressChanged({ type, object }: Change): void {
    if (type === 'DELETED') return
    const ingress = object as Ingress
    if (type === 'ADDED') this.cluster.assume(assumptionOf(ingress))
    if (!isPublished(ingress)) {
      this.cluster.kernel.after(PUBLISH_MS, this, 'publish', ingress.metadata.namespace ?? '', ingress.metadata.name)
    }
  }

  /** For the kernel: tells in the Ingress where it is served. */
  publish(namespace: string, name: string): void {
    const { store } = this.cluster
    const ingress = store.get<Ingress>('ingresses.networking.k8s.io', namespace, name)
    if (!ingress || isPublished(ingress)) return
    const status = { loadBalancer: { ingress: [{ ip: ADDRESS }] } }
    store.update('ingresses.networking.k8s.io', { ...ingress, status })
  }

  serve(call: Call): void {
    const { host, authority = host } = call.asked
    const ingresses = this.cluster.store.list<Ingress>('ingresses.networking.k8s.io')
    const route = routeRequest(ingresses, authority.replace(/:\d+$/, '').toLowerCase(), call.path)
    if (!route) return call.respond(NOT_FOUND)
    this.handOn(call, route.ingress.metadata.namespace ?? '', route.backend)
  }

  private handOn(call: Call, namespace: string, backend: IngressBackend): void {
    const service = this.cluster.store.get<Service>('services', namespace, backend.service?.name ?? '')
    const port = service && portOf(service, backend)
    if (!service || port === undefined) return call.respond(UNAVAILABLE)
    const errand = new Errand(call)
    const { externalName } = service.spec
    if (externalName !== undefined) {
      const to = { host: externalName, port, path: call.path }
      errand.outgoing = this.network.get({ from: this.peer, to, timeoutMs: ANSWER_MS }, errand)
      return
    }
    const route = this.network.routing.endpointOf(keyOf(service), port, this.peer.node)
    if (!route) return call.respond(UNAVAILABLE)
    errand.outgoing = this.network.dial(this.peer, route, { path: call.path, timeoutMs: ANSWER_MS }, errand)
  }
}

/** A request that the controller has handed on and whose answer it brings back. */
class Errand implements Caller, Worker {
  outgoing: Call | null = null

  constructor(private readonly incoming: Call) {
    incoming.worker = this
  }

  answered(status: number | null, error: CallError | null): void {
    this.incoming.respond(status ?? (error === 'ETIMEDOUT' ? GATEWAY_TIMEOUT : BAD_GATEWAY))
  }

  abandoned(): void {
    this.outgoing?.cancel()
  }
}

const isPublished = ({ status }: Ingress): boolean => (status?.loadBalancer?.ingress?.length ?? 0) > 0

/** The number of the service's port that the backend means. */
function portOf({ spec }: Service, { service }: IngressBackend): number | undefined {
  const { number, name } = service?.port ?? {}
  return (spec.ports ?? []).find((one) => (name === undefined ? one.port === number : one.name === name))?.port
}

function assumptionOf({ metadata, spec }: Ingress): string {
  const ignored = Object.keys(metadata.annotations ?? {}).filter((key) => !NOT_FOR_CONTROLLERS.test(key))
  const without = [...(ignored.length > 0 ? [`annotations (${ignored.join(', ')})`] : []), ...(spec.tls ? ['TLS'] : [])]
  const lacks = without.length > 0 ? `; without effect: ${without.join(', ')}` : ''
  return `Ingress/${metadata.name} is served by a controller that keeps to hosts and paths as Kubernetes specifies them${lacks}`
}
