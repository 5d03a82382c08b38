import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { type Container, type Endpoint, type EndpointSlice, isReady, type Pod, type Service } from './objects.js'
import { splitKey } from './objects.js'
import { ownerReference } from './owners.js'
import { ServiceIndex } from './service-index.js'
import { type Reconciler, WorkQueue } from './queue.js'

const MANAGER = 'endpointslice-controller.k8s.io'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const SERVICE_LABEL = 'kubernetes.io/service-name'
const ZONE_LABEL = 'topology.kubernetes.io/zone'
/** Upstream splits larger sets over several slices. */
const MAX_ENDPOINTS = 100

interface SlicePort {
  name: string
  port: number
  protocol: string
}
/** Endpoints whose pods resolve the service's ports to the same numbers share slices. */
interface Group {
  readonly ports: SlicePort[]
  readonly endpoints: Endpoint[]
}

/** Keeps the EndpointSlices of every Service that has a selector. */
export class EndpointSliceController implements Reconciler {
  private readonly queue: WorkQueue
  private readonly services: ServiceIndex

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'endpointslice', this)
    this.services = new ServiceIndex(store)
    store.subscribe('services', this.queue, 'addChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): void {
    this.queue.occupy(key, reconcile(this.cluster, key))
  }

  podChanged({ type, object, old }: Change): void {
    if (type === 'MODIFIED' && old && !concernsEndpoints(object as Pod, old as Pod)) return
    const { namespace = '', labels } = object.metadata
    const concerned = this.services.selecting(namespace, labels)
    const left = old && old.metadata.labels !== labels ? this.services.selecting(namespace, old.metadata.labels) : []
    for (const key of new Set([...concerned, ...left])) this.queue.add(key)
  }
}

function concernsEndpoints(pod: Pod, old: Pod): boolean {
  return (
    isReady(pod) !== isReady(old) ||
    pod.status?.podIP !== old.status?.podIP ||
    pod.status?.phase !== old.status?.phase ||
    pod.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    pod.metadata.labels !== old.metadata.labels
  )
}

/** The number of endpoints. */
function reconcile(cluster: Cluster, key: string): number {
  const { store } = cluster
  const [namespace, name] = splitKey(key)
  const service = store.get<Service>('services', namespace, name)
  if (!service?.spec.selector || service.metadata.deletionTimestamp) return 0
  const existing = slicesOf(cluster, namespace, name)
  const wanted = chunks(groupsOf(cluster, service))
  wanted.forEach((group, index) => {
    const slice = existing[index]
    const { ports, endpoints } = group
    if (slice) store.update('endpointslices.discovery.k8s.io', { ...slice, ports, endpoints })
    else store.create('endpointslices.discovery.k8s.io', newSlice(service, group))
  })
  for (const { metadata } of existing.slice(wanted.length)) {
    store.remove('endpointslices.discovery.k8s.io', namespace, metadata.name)
  }
  return wanted.reduce((sum, { endpoints }) => sum + endpoints.length, 0)
}

function slicesOf({ store }: Cluster, namespace: string, service: string): EndpointSlice[] {
  const matchLabels = { [SERVICE_LABEL]: service, [MANAGED_BY]: MANAGER }
  return store.listMatching<EndpointSlice>('endpointslices.discovery.k8s.io', namespace, { matchLabels })
}

function groupsOf(cluster: Cluster, service: Service): Group[] {
  const groups = new Map<string, Group>()
  const { selector: matchLabels } = service.spec
  for (const pod of cluster.store.listMatching<Pod>('pods', service.metadata.namespace ?? '', { matchLabels })) {
    if (!hasEndpoint(pod)) continue
    const ports = portsFor(service, pod)
    const key = JSON.stringify(ports)
    const group = groups.get(key) ?? { ports, endpoints: [] }
    groups.set(key, group)
    group.endpoints.push(endpointOf(cluster, service, pod))
  }
  // A service without pods still has a slice, without ports, as upstream writes it.
  return groups.size > 0 ? [...groups.values()] : [{ ports: [], endpoints: [] }]
}

const hasEndpoint = ({ status }: Pod): boolean =>
  status?.podIP !== undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed'

function portsFor(service: Service, pod: Pod): SlicePort[] {
  return (service.spec.ports ?? []).flatMap(({ name = '', port, targetPort = port, protocol = 'TCP' }) => {
    const number = typeof targetPort === 'number' ? targetPort : namedPort(pod.spec.containers, targetPort, protocol)
    return number === undefined ? [] : [{ name, port: number, protocol }]
  })
}

function namedPort(containers: readonly Container[], name: string, protocol: string): number | undefined {
  const ports = containers.flatMap((container) => container.ports ?? [])
  return ports.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort
}

function endpointOf({ store }: Cluster, service: Service, pod: Pod): Endpoint {
  const { name, namespace = '', uid, deletionTimestamp } = pod.metadata
  const terminating = deletionTimestamp !== undefined
  const serving = isReady(pod)
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating)
  const nodeName = pod.spec.nodeName ?? ''
  const zone = store.get('nodes', null, nodeName)?.metadata.labels?.[ZONE_LABEL]
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...hostnameOf(service, pod),
    targetRef: { kind: 'Pod', namespace, name, uid },
    nodeName,
    ...(zone ? { zone } : {}),
  }
}

/** The name under which the pod is found in the service, if it has one. */
function hostnameOf({ metadata }: Service, { spec }: Pod): { hostname?: string } {
  return spec.hostname && spec.subdomain === metadata.name ? { hostname: spec.hostname } : {}
}

function chunks(groups: readonly Group[]): Group[] {
  return groups.flatMap(({ ports, endpoints }) => {
    const parts: Group[] = []
    for (let i = 0; i === 0 || i < endpoints.length; i += MAX_ENDPOINTS) {
      parts.push({ ports, endpoints: endpoints.slice(i, i + MAX_ENDPOINTS) })
    }
    return parts
  })
}

function newSlice(service: Service, { ports, endpoints }: Group) {
  const { name, namespace, labels } = service.metadata
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        [MANAGED_BY]: MANAGER,
        [SERVICE_LABEL]: name,
        ...(service.spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {}),
      },
      ownerReferences: [ownerReference(service)],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  }
}
