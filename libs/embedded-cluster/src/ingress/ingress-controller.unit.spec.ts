import { type ProberConfig } from '@ordeal/prober'
import { deployment, service, START_MS, TestCluster } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { type Ingress } from './route-request.js'

const ADDRESS = '10.245.0.2'

const backend = (name: string, port: object = { number: 80 }): object => ({ service: { name, port } })

function ingress(spec: object, annotations?: Record<string, string>): K8sObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'door', ...(annotations ? { annotations } : {}) },
    spec,
  }
}

const rule = (host: string, path: string, to: object): object => ({
  host,
  http: { paths: [{ path, pathType: 'Prefix', backend: to }] },
})

function ask(id: string, host: string, path = '/'): ProberConfig['probes'][number] {
  const headers = { host }
  return { id, kind: 'http', url: `http://${ADDRESS}${path}`, ratePerSecond: 10, timeoutMs: 2000, headers }
}

/** Statuses that a probe has got from some second on, each once. */
const statuses = (cluster: TestCluster, probe: string, from = 0): (number | null)[] => [
  ...new Set(
    cluster
      .samples(probe)
      .filter(({ at }) => at >= START_MS + from * 1000)
      .map(({ value }) => value),
  ),
]

describe('the ingress controller', () => {
  it('says where it serves an Ingress, once it does', () => {
    const cluster = new TestCluster()
    cluster.apply(ingress({ defaultBackend: backend('web') }))
    cluster.run(0.5)
    const status = () => cluster.store.get<Ingress>('ingresses.networking.k8s.io', 'app', 'door')?.status
    expect(status()).toBeUndefined()
    cluster.run(1)
    expect(status()).toEqual({ loadBalancer: { ingress: [{ ip: ADDRESS }] } })
  })

  it('hands requests on by host, path and port, by number or name, of headless services too', () => {
    const cluster = new TestCluster()
    for (const app of ['web', 'api']) cluster.apply(deployment(app))
    cluster.apply(service('web', { ports: [{ name: 'http', port: 8000, targetPort: 8080 }] }))
    cluster.apply(service('api', { clusterIP: 'None', ports: [{ port: 80, targetPort: 8080 }] }))
    cluster.apply(
      ingress({
        rules: [
          rule('shop.test', '/', backend('web', { name: 'http' })),
          rule('shop.test', '/api', backend('api')),
          rule('wrong.test', '/', backend('web', { number: 80 })),
          rule('lost.test', '/', backend('nowhere')),
        ],
      }),
    )
    cluster.run(10)
    cluster.startProber([
      ask('web', 'shop.test'),
      ask('api', 'SHOP.test:80', '/api/x'),
      ask('wrong-port', 'wrong.test'),
      ask('no-service', 'lost.test'),
      ask('no-rule', 'other.test'),
    ])
    cluster.run(5)
    const got = ['web', 'api', 'wrong-port', 'no-service', 'no-rule'].map((id) => statuses(cluster, id))
    expect(got).toEqual([[200], [200], [503], [503], [404]])
  })

  it('finds no endpoint when the pods are gone, and a broken connection is a bad gateway', () => {
    const cluster = new TestCluster(3)
    cluster.apply(deployment('web'))
    cluster.apply(service('web'))
    cluster.apply(ingress({ rules: [rule('shop.test', '/', backend('web'))] }))
    cluster.run(10)
    cluster.startProber([ask('web', 'shop.test')])
    cluster.run(5)
    const [pod] = cluster.pods('web')
    cluster.store.remove('pods', 'app', pod?.metadata.name ?? '')
    cluster.run(2.5)
    const lost = cluster.samples('web').filter(({ ok }) => !ok)
    expect(lost.length).toBeGreaterThan(5)
    expect(lost.at(-1)?.value).toBe(503)
    cluster.run(10)
    expect(cluster.samples('web').at(-1)?.value).toBe(200)
  })

  it('waits a minute for an answer', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { env: { WORK: '80s' } }))
    cluster.apply(service('web'))
    cluster.apply(ingress({ rules: [rule('shop.test', '/', backend('web'))] }))
    cluster.run(10)
    cluster.startProber([{ ...ask('web', 'shop.test'), timeoutMs: 90_000 } as ProberConfig['probes'][number]])
    cluster.run(70)
    expect(statuses(cluster, 'web')).toEqual([504])
    expect(cluster.samples('web')[0]?.latencyMs).toBeCloseTo(60_000, -2)
  })

  it('is not kept away by policies, and is copied with the cluster', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web'))
    cluster.apply(service('web'))
    cluster.apply(ingress({ rules: [rule('shop.test', '/', backend('web'))] }))
    const none = { podSelector: {}, policyTypes: ['Ingress'] }
    cluster.apply({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'none' }, spec: none })
    cluster.run(10)
    cluster.startProber([ask('web', 'shop.test')])
    cluster.run(5)
    const copy = cluster.engine.fork()
    for (const engine of [cluster.engine, copy]) engine.kernel.runUntil(engine.kernel.now + 5000)
    const log = (engine: typeof copy) =>
      engine.logs({ namespace: 'probe', pod: 'prober', container: null, previous: false }).map(({ text }) => text)
    expect(log(copy).length).toBeGreaterThan(80)
    expect(log(copy)).toEqual(log(cluster.engine))
    expect(statuses(cluster, 'web')).toEqual([200])
  })

  it('tells what it leaves out', () => {
    const cluster = new TestCluster()
    const annotations = { 'nginx.ingress.kubernetes.io/rewrite-target': '/', 'ordeal.dev/owner': 'x' }
    cluster.apply(ingress({ defaultBackend: backend('web'), tls: [{ hosts: ['a.test'] }] }, annotations))
    expect(cluster.engine.assumptions.filter((each) => each.startsWith('Ingress/door'))).toEqual([
      'Ingress/door is served by a controller that keeps to hosts and paths as Kubernetes specifies them; without effect: annotations (nginx.ingress.kubernetes.io/rewrite-target), TLS',
    ])
  })
})
