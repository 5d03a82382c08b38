import {
  deployment,
  httpProbe,
  liveness,
  networkChaos,
  pod,
  podChaos,
  readiness,
  service,
  START_MS,
  TestCluster,
} from './engine-fixture.spec.js'

/** Longest time without a good sample, and how many failed, from that second on. */
function outage(
  cluster: TestCluster,
  probe: string,
  from: number,
): { longest: number; failed: number; samples: number } {
  const samples = cluster.samples(probe).filter(({ at }) => at >= START_MS + from * 1000)
  samples.sort((a, b) => a.at - b.at)
  let longest = 0
  let lastGood = START_MS + from * 1000
  for (const { at, ok } of samples) {
    if (!ok) continue
    longest = Math.max(longest, at - lastGood)
    lastGood = at
  }
  longest = Math.max(longest, (samples.at(-1)?.at ?? lastGood) - lastGood)
  return { longest: longest / 1000, failed: samples.filter(({ ok }) => !ok).length, samples: samples.length }
}

function killFront(replicas: number, seed = 1): TestCluster {
  const cluster = new TestCluster(seed)
  const container = { ...readiness, ...liveness }
  cluster.apply(deployment('web', { replicas, env: { STARTUP: '9s' }, container }))
  cluster.apply(service('web'))
  cluster.runUntil(30)
  cluster.startProber([httpProbe('front', 'http://web.app/list')])
  cluster.runUntil(60)
  cluster.apply(podChaos('kill', { action: 'pod-kill' }))
  cluster.runUntil(120)
  return cluster
}

describe('a whole cluster', () => {
  it('shows an outage of start time plus readiness when the only replica of a slow starter is killed', () => {
    for (const seed of [1, 2, 3]) {
      const cluster = killFront(1, seed)
      const before = cluster.samples('front').filter(({ at }) => at < START_MS + 60_000)
      expect(before.length).toBeGreaterThan(250)
      expect(before.filter(({ ok }) => !ok)).toEqual([])
      const { longest } = outage(cluster, 'front', 60)
      expect(longest).toBeGreaterThan(9.5)
      expect(longest).toBeLessThan(15)
    }
  })

  it('loses almost no request when one of two replicas is killed', () => {
    for (const seed of [1, 2, 3]) {
      const { failed, samples, longest } = outage(killFront(2, seed), 'front', 60)
      expect(samples).toBe(600)
      expect(failed).toBeLessThan(10)
      expect(longest).toBeLessThan(2)
    }
  })

  it('never brings a bare Pod back', () => {
    const cluster = new TestCluster()
    const podSpec = { restartPolicy: 'Never' }
    const container = { ports: [{ containerPort: 80 }] }
    cluster.apply(pod('web', { image: 'nginx:1.27', podSpec, container }))
    cluster.apply(service('web', { ports: [{ port: 80, targetPort: 80 }] }))
    cluster.runUntil(20)
    cluster.startProber([httpProbe('front', 'http://web.app/')])
    cluster.runUntil(40)
    expect(cluster.samples('front').filter(({ ok }) => ok).length).toBeGreaterThan(150)
    cluster.apply(podChaos('kill', { action: 'pod-kill' }))
    cluster.runUntil(1240)
    expect(cluster.pods()).toEqual([])
    const after = cluster.samples('front').filter(({ at }) => at > START_MS + 42_000)
    expect(after.length).toBeGreaterThan(11_000)
    expect(after.filter(({ ok }) => ok)).toEqual([])
    expect(cluster.engine.assumptions.join('\n')).toContain('image nginx:1.27: behaviour unknown')
  })

  it('gives the same history for the same seed and another for another', () => {
    const history = (cluster: TestCluster) =>
      JSON.stringify([cluster.samples('front'), cluster.store.list('pods'), cluster.store.list('events')])
    const first = history(killFront(2, 7))
    expect(history(killFront(2, 7))).toBe(first)
    expect(history(killFront(2, 8))).not.toBe(first)
  })

  it('sends traffic to a replaced pod long before it listens when there is no readiness probe', () => {
    const failed = (container: object) => {
      const cluster = new TestCluster()
      cluster.apply(deployment('web', { replicas: 2, env: { STARTUP: '20s' }, container: { ...container } }))
      cluster.apply(service('web'))
      cluster.runUntil(40)
      cluster.startProber([httpProbe('front', 'http://web.app/')])
      cluster.runUntil(60)
      cluster.apply(podChaos('kill', { action: 'pod-kill' }))
      cluster.runUntil(120)
      return outage(cluster, 'front', 60).failed
    }
    expect(failed({})).toBeGreaterThan(70)
    expect(failed(readiness)).toBeLessThan(10)
  })

  it('turns a slow moment into an outage that outlives it when a liveness probe gives up at once', () => {
    const lastFailure = (failureThreshold: number) => {
      const cluster = new TestCluster()
      const health = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, initialDelaySeconds: 12 }
      const container = { ...readiness, livenessProbe: { ...health, timeoutSeconds: 1, failureThreshold } }
      cluster.apply(deployment('web', { replicas: 2, env: { STARTUP: '10s', WORK: '60ms' }, container }))
      cluster.apply(service('web'))
      cluster.runUntil(40)
      cluster.startProber([httpProbe('front', 'http://web.app/')])
      cluster.runUntil(60)
      cluster.apply(networkChaos('slow', { action: 'delay', duration: '20s', delay: { latency: '750ms' } }))
      cluster.runUntil(140)
      const failures = cluster.samples('front').filter(({ ok }) => !ok)
      return (Math.max(0, ...failures.map(({ at }) => at)) - START_MS) / 1000
    }
    expect(lastFailure(1)).toBeGreaterThan(85)
    expect(lastFailure(60)).toBeLessThan(85)
  })
})
