import { deployment, pod, readiness, service, TestCluster } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { parseDestination } from './routing.js'

type Spec = Record<string, unknown>

function policy(name: string, spec: Spec, namespace = 'app'): K8sObject {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name, namespace }, spec }
}

const everyPod = { podSelector: {} }
const web = { podSelector: { matchLabels: { app: 'web' } } }
const client = { podSelector: { matchLabels: { app: 'client' } } }
const DNS = { to: [{ namespaceSelector: {} }], ports: [{ protocol: 'UDP', port: 53 }] }

/** `client` asks `web` on ports 80 (a service for 8080) and, directly, 9090; `stranger` does from another namespace. */
class Scene {
  readonly cluster = new TestCluster()

  constructor(...policies: K8sObject[]) {
    const { cluster } = this
    const ports = [{ name: 'http', containerPort: 8080 }]
    cluster.apply(pod('web', { container: { ports } }))
    cluster.apply(pod('client', { container: {} }))
    const stranger = pod('stranger', { container: {} })
    cluster.apply({ ...stranger, metadata: { ...stranger.metadata, namespace: 'probe' } })
    cluster.apply(service('web'))
    for (const one of policies) cluster.apply(one)
    cluster.run(8)
  }

  address(name: string, namespace = 'app'): string {
    const found = this.cluster.store.get('pods', namespace, name)
    return (found?.status as { podIP?: string } | undefined)?.podIP ?? ''
  }

  ask(from: { name: string; namespace?: string } | string, url = 'http://web.app'): string {
    const { name, namespace } = typeof from === 'string' ? { name: from, namespace: 'app' } : from
    const { network } = this.cluster.engine
    const peer = network.peer(this.address(name, namespace))
    const to = parseDestination(url)
    if (!peer || !to) throw new Error(`no ${name}`)
    let answer = 'open'
    network.get(
      { from: peer, to, timeoutMs: 1000 },
      { answered: (status, error) => (answer = String(status ?? error)) },
    )
    this.cluster.run(2)
    return answer
  }

  get outcomes(): Record<string, string> {
    return { client: this.ask('client'), stranger: this.ask({ name: 'stranger', namespace: 'probe' }) }
  }
}

describe('NetworkPolicy', () => {
  it('lets everything through where no policy selects a pod', () => {
    expect(new Scene().outcomes).toEqual({ client: '200', stranger: '200' })
    const elsewhere = policy('deny', { podSelector: { matchLabels: { app: 'other' } }, policyTypes: ['Ingress'] })
    expect(new Scene(elsewhere).outcomes).toEqual({ client: '200', stranger: '200' })
    expect(new Scene(policy('deny', everyPod, 'default')).outcomes).toEqual({ client: '200', stranger: '200' })
  })

  it('denies by default what it selects, by letting packets vanish', () => {
    expect(new Scene(policy('deny', everyPod)).outcomes).toEqual({ client: 'ETIMEDOUT', stranger: 'ETIMEDOUT' })
    expect(new Scene(policy('deny', { ...everyPod, ingress: [] })).ask('client')).toBe('ETIMEDOUT')
  })

  it('allows everything by an empty rule, and by lists that are empty', () => {
    expect(new Scene(policy('allow', { ...everyPod, ingress: [{}] })).outcomes).toEqual({
      client: '200',
      stranger: '200',
    })
    const empty = policy('allow', { ...everyPod, ingress: [{ from: [], ports: [] }] })
    expect(new Scene(empty).outcomes).toEqual({ client: '200', stranger: '200' })
  })

  it('adds policies up', () => {
    const allow = policy('allow', { ...web, ingress: [{ from: [client] }] })
    expect(new Scene(policy('deny', everyPod), allow).outcomes).toEqual({ client: '200', stranger: 'ETIMEDOUT' })
  })

  it('takes a pod selector alone for the own namespace, and with a namespace selector for both', () => {
    const from = (peer: Spec) => new Scene(policy('some', { ...web, ingress: [{ from: [peer] }] })).outcomes
    const labels = { matchLabels: { 'kubernetes.io/metadata.name': 'probe' } }
    const stranger = { matchLabels: { app: 'stranger' } }
    expect(from({ podSelector: stranger })).toEqual({ client: 'ETIMEDOUT', stranger: 'ETIMEDOUT' })
    expect(from({ namespaceSelector: labels })).toEqual({ client: 'ETIMEDOUT', stranger: '200' })
    expect(from({ namespaceSelector: labels, podSelector: stranger })).toEqual({ client: 'ETIMEDOUT', stranger: '200' })
    expect(from({ namespaceSelector: labels, ...client })).toEqual({ client: 'ETIMEDOUT', stranger: 'ETIMEDOUT' })
    expect(from({ namespaceSelector: {} })).toEqual({ client: '200', stranger: '200' })
  })

  it('knows ports by number, range, name and protocol, where the packet arrives', () => {
    const onPort = (port: Spec) => new Scene(policy('some', { ...web, ingress: [{ ports: [port] }] })).ask('client')
    expect(onPort({ port: 8080 })).toBe('200')
    // The service's own port is not where packets arrive.
    expect(onPort({ port: 80 })).toBe('ETIMEDOUT')
    expect(onPort({ port: 8000, endPort: 8100 })).toBe('200')
    expect(onPort({ port: 8000, endPort: 8079 })).toBe('ETIMEDOUT')
    expect(onPort({ port: 'http' })).toBe('200')
    expect(onPort({ port: 'https' })).toBe('ETIMEDOUT')
    expect(onPort({ port: 8080, protocol: 'UDP' })).toBe('ETIMEDOUT')
    expect(onPort({ protocol: 'TCP' })).toBe('200')
  })

  it('knows blocks of addresses, with exceptions', () => {
    const block = (ipBlock: Spec) =>
      new Scene(policy('some', { ...web, ingress: [{ from: [{ ipBlock }] }] })).ask('client')
    expect(block({ cidr: '10.244.0.0/16' })).toBe('200')
    expect(block({ cidr: '10.244.0.0/16', except: ['10.244.0.0/16'] })).toBe('ETIMEDOUT')
    expect(block({ cidr: '192.168.0.0/16' })).toBe('ETIMEDOUT')
  })

  it('holds egress back, where the rules are for what goes out', () => {
    const egress = (...rules: Spec[]) =>
      new Scene(policy('out', { ...client, policyTypes: ['Egress'], egress: rules })).outcomes
    expect(egress()).toEqual({ client: 'ETIMEDOUT', stranger: '200' })
    expect(egress({})).toEqual({ client: '200', stranger: '200' })
    expect(egress({ to: [web], ports: [{ port: 8080 }] }, DNS).client).toBe('200')
    expect(egress({ to: [web], ports: [{ port: 'http' }] }, DNS).client).toBe('200')
    expect(egress({ to: [web], ports: [{ port: 80 }] }, DNS).client).toBe('ETIMEDOUT')
  })

  it('keeps name servers away from who may not ask them, as an egress policy without DNS does', () => {
    const scene = new Scene(policy('out', { ...client, policyTypes: ['Egress'], egress: [{ to: [web] }] }))
    expect(scene.ask('client')).toBe('ETIMEDOUT')
    expect(scene.ask('client', `http://${scene.address('web')}:8080`)).toBe('200')
  })

  it('needs both ends to allow a connection', () => {
    const out = policy('out', { ...client, policyTypes: ['Egress'], egress: [{}] })
    expect(new Scene(out, policy('in', everyPod)).ask('client')).toBe('ETIMEDOUT')
  })

  it('takes the direction of its rules from its types', () => {
    const withRules = policy('both', { ...everyPod, egress: [DNS] })
    expect(new Scene(withRules).outcomes).toEqual({ client: 'ETIMEDOUT', stranger: 'ETIMEDOUT' })
    const outOnly = policy('out', { ...web, policyTypes: ['Egress'], ingress: [] })
    expect(new Scene(outOnly).outcomes).toEqual({ client: '200', stranger: '200' })
  })

  it('never keeps the kubelet from its probes, nor a pod from itself', () => {
    const cluster = new TestCluster()
    cluster.apply(policy('deny', { ...everyPod, policyTypes: ['Ingress', 'Egress'] }))
    cluster.apply(deployment('web', { container: readiness, env: { CALLS: 'http://127.0.0.1:8080/healthz' } }))
    cluster.run(15)
    expect(cluster.readyPods('web')).toHaveLength(1)
    const ip = cluster.pods('web')[0]?.status?.podIP ?? ''
    const peer = cluster.engine.network.peer(ip)
    let answer: number | null = null
    if (peer) {
      const to = { host: '127.0.0.1', port: 8080, path: '/' }
      cluster.engine.network.get({ from: peer, to, timeoutMs: 1000 }, { answered: (status) => (answer = status) })
    }
    cluster.run(2)
    expect(answer).toBe(200)
  })

  it('takes effect when it comes, when labels change, and no longer when it is gone', () => {
    const scene = new Scene()
    scene.cluster.apply(policy('some', { ...web, ingress: [{ from: [client] }] }))
    expect(scene.outcomes).toEqual({ client: '200', stranger: 'ETIMEDOUT' })
    const { store } = scene.cluster
    const asked = scene.cluster.pod('client')
    store.update('pods', { ...asked, metadata: { ...asked.metadata, labels: { app: 'renamed' } } })
    expect(scene.ask('client')).toBe('ETIMEDOUT')
    store.remove('networkpolicies.networking.k8s.io', 'app', 'some')
    expect(scene.outcomes).toEqual({ client: '200', stranger: '200' })
  })
})
