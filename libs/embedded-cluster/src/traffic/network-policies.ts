import { type ContainerPort, keyOf, type Pod } from '../controllers/objects.js'
import { type LabelSelector, matchesSelector } from '../schema/selectors.js'
import { sameJson, type Change, type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { AddressBlock } from './address-block.js'
import { type Peer } from './peer.js'

interface PolicyPort {
  readonly protocol?: string
  readonly port?: number | string
  readonly endPort?: number
}
interface PolicyPeer {
  readonly podSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}
interface PolicyRule {
  readonly ports?: readonly PolicyPort[]
  readonly from?: readonly PolicyPeer[]
  readonly to?: readonly PolicyPeer[]
}
interface NetworkPolicy extends StoredObject {
  spec: {
    podSelector?: LabelSelector
    policyTypes?: readonly string[]
    ingress?: readonly PolicyRule[]
    egress?: readonly PolicyRule[]
  }
}

/** One end of a connection as policies see it. */
export interface PolicyEnd {
  readonly ip: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly ports: readonly ContainerPort[]
}

/** The name servers, which a cluster has in this place whatever else it has. */
const NAME_SERVER: PolicyEnd = {
  ip: '10.244.255.10',
  namespace: 'kube-system',
  labels: { 'k8s-app': 'kube-dns' },
  ports: [
    { name: 'dns', containerPort: 53, protocol: 'UDP' },
    { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
  ],
}
const DNS_PORT = 53

type Direction = 'Ingress' | 'Egress'

/**
 * NetworkPolicies, as a network plug-in enforces them: a pod that a policy selects takes (or opens) only connections
 * that some policy of that direction allows; both ends must allow one. A pod always reaches itself, and its node (whose
 * probes are exempt) always reaches it. Without a policy none of this is walked.
 */
export class NetworkPolicies {
  /** Whether there is any policy at all. */
  active = false
  private readonly ends = new Map<string, PolicyEnd>()
  private readonly decisions = new Map<string, boolean>()

  constructor(private readonly store: ObjectStore) {
    store.subscribe('networkpolicies.networking.k8s.io', this, 'policiesChanged')
    store.subscribe('namespaces', this, 'namespaceChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  /** Whether a TCP connection may be opened. */
  allow(from: Peer, to: Peer, port: number): boolean {
    if (from === to || from.namespace === '' || to.namespace === '') return true
    const key = `${from.ip}>${to.ip}:${port}`
    let decision = this.decisions.get(key)
    if (decision === undefined) this.decisions.set(key, (decision = this.decide(from, to, port)))
    return decision
  }

  /** Whether the pod may ask the cluster's name servers. */
  mayAskNames(from: Peer): boolean {
    if (from.namespace === '') return true
    const key = `${from.ip}>names`
    let decision = this.decisions.get(key)
    if (decision === undefined) {
      const end = this.endOf(from)
      const passes = (protocol: string) => this.passes('Egress', end, { other: NAME_SERVER, port: DNS_PORT, protocol })
      this.decisions.set(key, (decision = passes('UDP') || passes('TCP')))
    }
    return decision
  }

  private decide(from: Peer, to: Peer, port: number): boolean {
    const [source, target] = [this.endOf(from), this.endOf(to)]
    return (
      this.passes('Egress', source, { other: target, port, protocol: 'TCP' }) &&
      this.passes('Ingress', target, { other: source, port, protocol: 'TCP' })
    )
  }

  private endOf({ ip, namespace }: Peer): PolicyEnd {
    return this.ends.get(ip) ?? { ip, namespace, labels: {}, ports: [] }
  }

  private passes(direction: Direction, end: PolicyEnd, attempt: Omit<Attempt, 'target'>): boolean {
    const policies = this.store
      .list<NetworkPolicy>('networkpolicies.networking.k8s.io', end.namespace)
      .filter(({ spec }) => typesOf(spec).includes(direction) && matchesSelector(spec.podSelector ?? {}, end.labels))
    if (policies.length === 0) return true
    const target = direction === 'Ingress' ? end : attempt.other
    return policies.some(({ spec, metadata }) => {
      const rules = (direction === 'Ingress' ? spec.ingress : spec.egress) ?? []
      return rules.some((rule) => this.admits(rule, { ...attempt, target }, metadata.namespace ?? ''))
    })
  }

  private admits({ ports, from, to }: PolicyRule, attempt: Attempt, namespace: string): boolean {
    const peers = from ?? to ?? []
    const portFits = !ports?.length || ports.some((port) => covers(port, attempt))
    return portFits && (peers.length === 0 || peers.some((peer) => this.names(peer, attempt.other, namespace)))
  }

  private names({ podSelector, namespaceSelector, ipBlock }: PolicyPeer, other: PolicyEnd, namespace: string): boolean {
    if (ipBlock) {
      const within = (cidr: string) => new AddressBlock(cidr).has(other.ip)
      return within(ipBlock.cidr) && !(ipBlock.except ?? []).some(within)
    }
    const inNamespace = namespaceSelector
      ? matchesSelector(namespaceSelector, this.store.get('namespaces', null, other.namespace)?.metadata.labels)
      : other.namespace === namespace
    return inNamespace && matchesSelector(podSelector ?? {}, other.labels)
  }

  policiesChanged(): void {
    this.active = this.store.count('networkpolicies.networking.k8s.io') > 0
    this.decisions.clear()
  }

  namespaceChanged({ object, old }: Change): void {
    if (!sameJson(object.metadata.labels, old?.metadata.labels)) this.decisions.clear()
  }

  /** Ends are kept even without policies, so that the first policy finds them. */
  podChanged({ type, object, old }: Change): void {
    const ip = addressOf(object)
    const before = old ? addressOf(old) : undefined
    if (type !== 'DELETED' && ip === before && sameJson(object.metadata.labels, old?.metadata.labels)) return
    if (before !== undefined) this.ends.delete(before)
    if (ip !== undefined && type !== 'DELETED') this.ends.set(ip, endOf(object as Pod, ip))
    this.decisions.clear()
  }
}

const addressOf = (pod: StoredObject): string | undefined => (pod as Pod).status?.podIP

interface Attempt {
  readonly other: PolicyEnd
  /** Whose port it is. */
  readonly target: PolicyEnd
  readonly port: number
  readonly protocol: string
}

function endOf(pod: Pod, ip: string): PolicyEnd {
  const ports = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap((one) => one.ports ?? [])
  return { ip, namespace: keyOf(pod).split('/')[0] ?? '', labels: pod.metadata.labels ?? {}, ports }
}

/** Without types a policy concerns what comes in, and what goes out where it has rules for that. */
const typesOf = ({ policyTypes, egress }: NetworkPolicy['spec']): readonly string[] =>
  policyTypes ?? (egress?.length ? ['Ingress', 'Egress'] : ['Ingress'])

function covers({ protocol = 'TCP', port, endPort }: PolicyPort, attempt: Attempt): boolean {
  if (protocol !== attempt.protocol) return false
  if (port === undefined) return true
  if (typeof port === 'number') return attempt.port >= port && attempt.port <= (endPort ?? port)
  return attempt.target.ports.some(
    (one) => one.name === port && one.containerPort === attempt.port && (one.protocol ?? 'TCP') === protocol,
  )
}
