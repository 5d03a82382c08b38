import {
  deployment,
  httpProbe,
  networkChaos,
  podChaos,
  readiness,
  service,
  TestCluster,
} from './engine-fixture.spec.js'
import { type K8sObject } from './store/object.js'

/** What each flaw is about: it breaks an application as it is, and not one that was mended by hand. */

/** An application at work, with a visitor who asks its entry ten times a second. */
function visited(objects: readonly K8sObject[], entry: string): TestCluster {
  const cluster = new TestCluster()
  for (const object of objects) cluster.apply(object)
  cluster.run(60)
  cluster.startProber([httpProbe('user', `http://${entry}.app/`)])
  cluster.run(10)
  return cluster
}

interface Seen {
  readonly share: number
  /** Seconds of the longest time without an answer. */
  readonly outage: number
  /** Seconds from the first moment of the window to the last failed sample; 0 without any. */
  readonly lastFailure: number
}

/** What the visitor sees of the next so many seconds. */
function seen(cluster: TestCluster, seconds: number): Seen {
  const before = cluster.samples('user').length
  cluster.run(seconds)
  const samples = cluster.samples('user').slice(before)
  let [run, outage] = [0, 0]
  for (const { ok } of samples) {
    run = ok ? 0 : run + 1
    outage = Math.max(outage, run / 10)
  }
  const lastFailure = (samples.findLastIndex(({ ok }) => !ok) + 1) / 10
  return { share: samples.filter(({ ok }) => ok).length / samples.length, outage, lastFailure }
}

const kill = (app: string, mode = 'one') =>
  podChaos(`kill-${app}`, { action: 'pod-kill', mode, selector: { namespaces: ['app'], labelSelectors: { app } } })

describe('a slow start without a readiness probe', () => {
  const quotes = (container: Record<string, unknown>) => [
    deployment('quotes', { replicas: 2, env: { STARTUP: '20s' }, container }),
    service('quotes'),
  ]

  it('sends visitors to a pod that does not listen yet', () => {
    const cluster = visited(quotes({}), 'quotes')
    cluster.apply(kill('quotes'))
    expect(seen(cluster, 60).share).toBeLessThan(0.9)
  })

  it('keeps them from it where there is one', () => {
    const cluster = visited(quotes(readiness), 'quotes')
    cluster.apply(kill('quotes'))
    const { share, outage } = seen(cluster, 60)
    expect(share).toBeGreaterThanOrEqual(0.95)
    expect(outage).toBeLessThanOrEqual(5)
  })
})

describe('a liveness probe that gives up after one slow answer', () => {
  const probe = { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 12, periodSeconds: 1 }
  const search = (liveness: object) => [
    deployment('search', {
      replicas: 2,
      env: { STARTUP: '10s', WORK: '60ms' },
      container: { ...readiness, livenessProbe: { ...probe, ...liveness } },
    }),
    service('search'),
  ]
  /** All pods answer a second and a half late for 20 s; what is seen from the end of that on. */
  const slowMoment = (liveness: object): { after: Seen; restarts: number } => {
    const cluster = visited(search(liveness), 'search')
    const selector = { namespaces: ['app'], labelSelectors: { app: 'search' } }
    const delay = { latency: '1500ms' }
    cluster.apply(networkChaos('slow', { action: 'delay', delay, mode: 'all', selector, duration: '20s' }))
    cluster.run(20)
    const after = seen(cluster, 60)
    const restarts = cluster.pods('search').flatMap((pod) => pod.status?.containerStatuses ?? [])
    return { after, restarts: restarts.reduce((sum, { restartCount }) => sum + restartCount, 0) }
  }

  it('turns a slow moment into restarts, and an outage that outlives it', () => {
    const { after, restarts } = slowMoment({ timeoutSeconds: 1, failureThreshold: 1 })
    expect(restarts).toBeGreaterThanOrEqual(2)
    expect(after.lastFailure).toBeGreaterThan(5)
  })

  it('lets the moment pass where it is patient', () => {
    const { after, restarts } = slowMoment({ timeoutSeconds: 5, failureThreshold: 3, periodSeconds: 10 })
    expect(restarts).toBe(0)
    expect(after.lastFailure).toBeLessThanOrEqual(5)
  })
})

describe('a front with two single backends, one in place of the other', () => {
  const backend = (name: string, replicas: number) => [
    deployment(name, { replicas, env: { STARTUP: '10s' } }),
    service(name),
  ]
  const gate = (replicas: number) => [
    deployment('gate', { replicas: 2, env: { CALLS: 'http://auth-a|http://auth-b', TIMEOUT: '1s' } }),
    service('gate'),
    ...backend('auth-a', replicas),
    ...backend('auth-b', 1),
  ]

  it.each(['auth-a', 'auth-b'])('outlives the loss of %s alone', (name) => {
    const cluster = visited(gate(1), 'gate')
    cluster.apply(kill(name))
    const { share, outage } = seen(cluster, 60)
    expect(share).toBeGreaterThanOrEqual(0.95)
    expect(outage).toBeLessThanOrEqual(5)
  })

  it('is out when both are lost at once', () => {
    const cluster = visited(gate(1), 'gate')
    cluster.apply(kill('auth-a'))
    cluster.apply(kill('auth-b'))
    const { outage } = seen(cluster, 60)
    expect(outage).toBeGreaterThan(5)
  })

  it('outlives that where one of them has two pods', () => {
    const cluster = visited(gate(2), 'gate')
    cluster.apply(kill('auth-a'))
    cluster.apply(kill('auth-b'))
    const { share, outage } = seen(cluster, 60)
    expect(share).toBeGreaterThanOrEqual(0.95)
    expect(outage).toBeLessThanOrEqual(5)
  })
})
