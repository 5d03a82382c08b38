import { deployment, networkChaos, pod, service, TestCluster } from '../engine-fixture.spec.js'
import { parseDestination } from './routing.js'

interface Answer {
  status: number | null
  error: string | null
  after: number
}

/** Pods `web` and `client` (the latter in no service), and requests from the client. */
function started(seed = 1, env: Record<string, string> = {}) {
  const cluster = new TestCluster(seed)
  cluster.apply(pod('web', { container: {}, env }))
  cluster.apply(pod('client', { container: {} }))
  cluster.apply(service('web'))
  cluster.run(10)
  return { cluster, ask: asker(cluster) }
}

function asker(cluster: TestCluster) {
  const { network } = cluster.engine
  const from = network.peer(cluster.pod('client').status?.podIP ?? '')
  if (!from) throw new Error('no client')
  return (url: string, timeoutMs = 2000): Answer => {
    const to = parseDestination(url)
    if (!to) throw new Error(`no destination ${url}`)
    const answer: Answer = { status: null, error: 'open', after: NaN }
    const sent = cluster.now
    network.get(
      { from, to, timeoutMs },
      { answered: (status, error) => Object.assign(answer, { status, error, after: cluster.now - sent }) },
    )
    return answer
  }
}

describe('names and ports', () => {
  it('resolve as in a pod of the same namespace', () => {
    const { cluster, ask } = started()
    const { podIP = '' } = cluster.pod('web').status ?? {}
    const { clusterIP = '' } = cluster.store.get('services', 'app', 'web')?.spec as { clusterIP: string }
    const urls = [
      'http://web',
      'http://web.app/x?y=1',
      'http://web.app.svc:80/',
      'http://web.app.svc.cluster.local',
      'http://web.app.svc.cluster.local.:80/',
      `http://${clusterIP}/`,
      `http://${podIP}:8080/`,
    ]
    const answers = urls.map((url) => ask(url))
    cluster.run(1)
    expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200))
  })

  it('fail as the network makes them fail', () => {
    const { cluster, ask } = started()
    cluster.apply(service('empty'))
    cluster.apply(service('wrong', { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 9090 }] }))
    cluster.run(5)
    const answers = [
      'http://nobody',
      'http://web.probe',
      'http://empty',
      'http://wrong',
      'http://web:81',
      'http://10.9.9.9',
    ].map((url) => ask(url))
    cluster.run(5)
    expect(answers.map(({ error }) => error)).toEqual([
      'ENOTFOUND',
      'ENOTFOUND',
      'ECONNREFUSED',
      'ECONNREFUSED',
      'ETIMEDOUT',
      'ETIMEDOUT',
    ])
    expect(answers[5]?.after).toBeCloseTo(2)
  })

  it('of headless services are the pods themselves', () => {
    const { cluster, ask } = started()
    cluster.apply(service('direct', { clusterIP: 'None', selector: { app: 'web' } }))
    cluster.run(5)
    const [listens, refused] = [ask('http://direct:8080'), ask('http://direct:80')]
    cluster.run(1)
    expect([listens.status, refused.error]).toEqual([200, 'ECONNREFUSED'])
  })

  it('are read from plain HTTP URLs only', () => {
    expect(parseDestination('http://a.b:8080/c?d')).toEqual({ host: 'a.b', port: 8080, path: '/c' })
    expect(parseDestination('http://localhost')).toEqual({ host: '127.0.0.1', port: 80, path: '/' })
    expect(parseDestination('https://a')).toBeNull()
    expect(parseDestination('a:80')).toBeNull()
  })
})

describe('a pod that goes', () => {
  it('breaks what it works on, refuses for a moment, and is then no longer asked', () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 4; seed++) {
      const cluster = new TestCluster(seed)
      cluster.apply(deployment('web', { replicas: 2 }))
      cluster.apply(service('web'))
      cluster.apply(pod('client', { container: {} }))
      cluster.run(15)
      const ask = asker(cluster)
      cluster.store.remove('pods', 'app', cluster.pods('web')[0]?.metadata.name ?? '')
      const during = Array.from({ length: 100 }, () => {
        cluster.run(0.02)
        return ask('http://web')
      })
      cluster.run(3)
      const failed = during.filter(({ status }) => status !== 200)
      expect(failed.length).toBeGreaterThan(0)
      for (const { error } of failed) seen.add(error ?? '')
      // Propagated to every node after a second and the controller's reaction at most.
      expect(during.slice(55).filter(({ status }) => status !== 200)).toEqual([])
    }
    expect([...seen].sort()).toEqual(['ECONNREFUSED', 'ETIMEDOUT'])
  })

  it('resets its open connections when it is killed', () => {
    const { cluster, ask } = started(1, { WORK: '3s' })
    const open = ask('http://web', 10_000)
    cluster.run(0.5)
    const kind = 'PodChaos'
    const spec = { action: 'container-kill', containerNames: ['web'] }
    cluster.apply({ ...networkChaos('kill', spec), kind })
    cluster.run(1)
    expect(open.error).toBe('ECONNRESET')
  })
})

describe('NetworkChaos', () => {
  const inject = (cluster: TestCluster, spec: Record<string, unknown>) => {
    cluster.apply(networkChaos('net', { duration: '60s', ...spec }))
    cluster.run(2)
  }

  it('delays each packet that leaves the target: the handshake and the answer', () => {
    const { cluster, ask } = started()
    inject(cluster, { action: 'delay', delay: { latency: '100ms' } })
    const answer = ask('http://web')
    cluster.run(2)
    expect(answer.status).toBe(200)
    expect(answer.after).toBeCloseTo(0.2, 2)
    cluster.run(70)
    const later = ask('http://web')
    cluster.run(2)
    expect(later.after).toBeLessThan(0.01)
  })

  it('touches only packets to its target', () => {
    const { cluster, ask } = started()
    cluster.apply(pod('other', { container: {} }))
    cluster.run(5)
    const target = { mode: 'all', selector: { namespaces: ['app'], labelSelectors: { app: 'other' } } }
    inject(cluster, { action: 'delay', delay: { latency: '100ms' }, target })
    const answer = ask('http://web')
    cluster.run(2)
    expect(answer.after).toBeLessThan(0.01)
  })

  it('stays within its jitter', () => {
    const { cluster, ask } = started()
    inject(cluster, { action: 'delay', delay: { latency: '100ms', jitter: '50ms', correlation: '25' } })
    const answers = Array.from({ length: 50 }, () => ask('http://web'))
    cluster.run(2)
    const times = answers.map(({ after }) => after)
    expect(Math.min(...times)).toBeGreaterThan(0.1)
    expect(Math.max(...times)).toBeLessThan(0.305)
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(0.05)
  })

  it('loses packets, which TCP sends again later', () => {
    const { cluster, ask } = started()
    inject(cluster, { action: 'loss', loss: { loss: '50' } })
    const answers = Array.from({ length: 200 }, () => ask('http://web', 60_000))
    cluster.run(60)
    const quick = answers.filter(({ after }) => after < 0.1).length
    // Two packets leave the target; both get through with a chance of one in four.
    expect(quick).toBeGreaterThan(30)
    expect(quick).toBeLessThan(75)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(190)
    expect(answers.some(({ after }) => after >= 1)).toBe(true)
  })

  it('partitions: connections time out, in one direction or both', () => {
    for (const direction of ['to', 'from', 'both']) {
      const { cluster, ask } = started()
      const target = { mode: 'all', selector: { namespaces: ['app'], labelSelectors: { app: 'client' } } }
      inject(cluster, { action: 'partition', direction, target })
      const answer = ask('http://web')
      cluster.run(5)
      expect(answer).toMatchObject({ error: 'ETIMEDOUT' })
      cluster.run(70)
      const later = ask('http://web')
      cluster.run(1)
      expect(later.status).toBe(200)
    }
  })

  it('reaches the kubelet’s probes, too', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { container: { livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 2 } } }))
    cluster.run(10)
    inject(cluster, { action: 'delay', delay: { latency: '1500ms' } })
    cluster.run(12)
    expect(cluster.pods('web')[0]?.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThanOrEqual(1)
  })
})
