import { deployment, httpProbe, service, template, TestCluster } from './engine-fixture.spec.js'

/** Seconds of the longest run of failed samples of a probe at 10 requests/s, from a second of virtual time on. */
function longestOutage(cluster: TestCluster, probe: string, fromSample: number): number {
  let longest = 0
  let run = 0
  for (const { ok } of cluster.samples(probe).slice(fromSample)) {
    run = ok ? 0 : run + 1
    longest = Math.max(longest, run)
  }
  return longest / 10
}

const relay = (podSpec: object) =>
  deployment('relay', { replicas: 3, env: { STARTUP: '15s' }, podSpec: podSpec as Record<string, unknown> })

/** All pods of the node that has most of them die at once; the longest outage in the minute after that. */
function loseNode(podSpec: object): number {
  const cluster = new TestCluster()
  cluster.apply(relay(podSpec))
  cluster.apply(service('relay'))
  cluster.runUntilTrue(() => cluster.readyPods('relay').length === 3)
  cluster.startProber([httpProbe('user', 'http://relay.app/')])
  cluster.run(10)
  const before = cluster.samples('user').length
  const byNode = Map.groupBy(cluster.pods('relay'), ({ spec }) => spec.nodeName)
  const [most = []] = [...byNode.values()].sort((a, b) => b.length - a.length)
  for (const { metadata } of most) cluster.store.remove('pods', 'app', metadata.name)
  cluster.run(60)
  return longestOutage(cluster, 'user', before)
}

const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'relay' } } }
const rule = { requiredDuringSchedulingIgnoredDuringExecution: [term] }

describe('three replicas that must share a node', () => {
  it('are all lost with it', () => {
    expect(loseNode({ affinity: { podAffinity: rule } })).toBeGreaterThan(15)
  })

  it('survive it when they keep apart', () => {
    expect(loseNode({ affinity: { podAntiAffinity: rule } })).toBeLessThanOrEqual(5)
  })

  it('survive it when they are spread', () => {
    const constraint = { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...term }
    expect(loseNode({ topologySpreadConstraints: [constraint] })).toBeLessThanOrEqual(5)
  })
})

describe('a single database with its own volume', () => {
  it('is missed for as long as it takes to start again, by all who need it', () => {
    const cluster = new TestCluster()
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const container = {
      readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 2 },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    }
    cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        replicas: 1,
        selector: { matchLabels: { app: 'db' } },
        template: template('db', { env: { STARTUP: '12s', STATEFUL: 'true' }, container }),
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      },
    })
    cluster.apply(service('db'))
    cluster.apply(deployment('ledger', { replicas: 2, env: { CALLS: 'http://db', TIMEOUT: '1s' } }))
    cluster.apply(service('ledger'))
    cluster.runUntilTrue(() => cluster.readyPods('ledger').length === 2 && cluster.readyPods('db').length === 1)
    cluster.run(2)
    cluster.startProber([httpProbe('user', 'http://ledger.app/')])
    cluster.run(10)
    const before = cluster.samples('user').length
    expect(cluster.samples('user').filter(({ ok }) => !ok)).toEqual([])
    const node = cluster.pod('db-0').spec.nodeName
    cluster.store.remove('pods', 'app', 'db-0')
    cluster.run(60)
    expect(longestOutage(cluster, 'user', before)).toBeGreaterThan(12)
    expect(cluster.samples('user').at(-1)?.ok).toBe(true)
    expect(cluster.pod('db-0').spec.nodeName).toBe(node)
  })
})
