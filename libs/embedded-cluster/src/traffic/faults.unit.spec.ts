import { dnsChaos, httpChaos, networkChaos, pod, service, TestCluster } from '../engine-fixture.spec.js'
import { AddressBlock } from './address-block.js'
import { nameVerdict } from './name-rules.js'
import { RateEffect } from './packet-effects.js'
import { LOST } from './peer.js'
import { parseDestination } from './routing.js'

interface Answer {
  status: number | null
  error: string | null
  after: number
}

/** Pods `web` and `client`, and requests from the client; the fault is on both by default. */
function started(env: Record<string, string> = {}) {
  const cluster = new TestCluster()
  cluster.apply(pod('web', { container: {}, env }))
  cluster.apply(pod('client', { container: {} }))
  cluster.apply(service('web'))
  cluster.run(10)
  const ask = (url: string, timeoutMs = 2000): Answer => {
    const { network } = cluster.engine
    const from = network.peer(cluster.pod('client').status?.podIP ?? '')
    const to = parseDestination(url)
    if (!from || !to) throw new Error('no client')
    const answer: Answer = { status: null, error: 'open', after: NaN }
    const sent = cluster.now
    network.get(
      { from, to, timeoutMs },
      { answered: (status, error) => Object.assign(answer, { status, error, after: cluster.now - sent }) },
    )
    return answer
  }
  return { cluster, ask }
}

const onClient = { mode: 'all', selector: { namespaces: ['app'], labelSelectors: { app: 'client' } } }

function asked(spec: Record<string, unknown>, urls: readonly string[], kind = dnsChaos): Answer[] {
  const { cluster, ask } = started()
  cluster.apply(kind('fault', { duration: '60s', ...spec }))
  cluster.run(2)
  const answers = urls.map((url) => ask(url))
  cluster.run(5)
  return answers
}

describe('DNSChaos', () => {
  it('makes names fail for the pod that it is on, and for no other', () => {
    const [client] = asked({ ...onClient, action: 'error' }, ['http://web'])
    expect(client).toMatchObject({ status: null, error: 'EAI_AGAIN' })
    const [other] = asked({ action: 'error' }, ['http://web'])
    expect(other).toMatchObject({ status: 200 })
  })

  it('answers with an address that nobody has', () => {
    const [client] = asked({ ...onClient, action: 'random' }, ['http://web'])
    expect(client).toMatchObject({ error: 'ETIMEDOUT' })
  })

  it('concerns full names that fit a pattern, and no addresses', () => {
    const { cluster, ask } = started()
    const ip = cluster.pod('web').status?.podIP ?? ''
    cluster.apply(dnsChaos('fault', { ...onClient, action: 'error', patterns: ['web.app.svc*', 'x'] }))
    cluster.apply(service('other', { selector: { app: 'web' } }))
    cluster.run(3)
    const answers = ['http://web', 'http://web.app', 'http://other', `http://${ip}:8080`].map((url) => ask(url))
    cluster.run(3)
    expect(answers.map(({ status, error }) => status ?? error)).toEqual(['EAI_AGAIN', 'EAI_AGAIN', 200, 200])
  })

  it('is over with its duration', () => {
    const { cluster, ask } = started()
    cluster.apply(dnsChaos('fault', { ...onClient, action: 'error', duration: '10s' }))
    cluster.run(15)
    const answer = ask('http://web')
    cluster.run(1)
    expect(answer.status).toBe(200)
    expect(cluster.store.get('dnschaos.chaos-mesh.org', 'app', 'fault')?.status).toMatchObject({
      experiment: { containerRecords: [{ id: 'app/client/web', phase: 'Not Injected', recoveredCount: 1 }] },
    })
  })

  it('counts an error only where the name would have been found', () => {
    const known = (name: string) => name === 'db.app.svc.cluster.local'
    const verdict = (pattern: string, action: 'error' | 'random' = 'error') =>
      nameVerdict([{ source: 'x', action, patterns: [pattern] }], { host: 'db', namespace: 'app' }, known)
    expect(verdict('db.app.svc.cluster.local')).toBe('error')
    expect(verdict('d?.app.*')).toBe('error')
    expect(verdict('db')).toBeNull()
    expect(verdict('*', 'random')).toBe('random')
  })
})

describe('HTTPChaos', () => {
  const urls = ['http://web/a', 'http://web/b']
  const outcome = ({ status, error }: Answer) => status ?? error

  it('cuts requests off, by port and path', () => {
    const spec = { target: 'Request', port: 8080, path: '/a*', abort: true }
    expect(asked(spec, urls, httpChaos).map(outcome)).toEqual(['ECONNRESET', 200])
    expect(asked({ ...spec, port: 9090 }, urls, httpChaos).map(outcome)).toEqual([200, 200])
    expect(asked({ ...spec, method: 'POST' }, urls, httpChaos).map(outcome)).toEqual([200, 200])
  })

  it('delays requests, and answers', () => {
    const delays = (target: string) =>
      asked({ target, port: 8080, delay: '500ms' }, urls, httpChaos).map(({ after }) => Math.round(after * 10) / 10)
    expect(delays('Request')).toEqual([0.5, 0.5])
    expect(delays('Response')).toEqual([0.5, 0.5])
  })

  it('replaces the status of answers, those with a given status only when it is asked to', () => {
    const spec = { target: 'Response', port: 8080, replace: { code: 503 } }
    expect(asked(spec, urls, httpChaos).map(outcome)).toEqual([503, 503])
    expect(asked({ ...spec, code: 404 }, urls, httpChaos).map(outcome)).toEqual([200, 200])
  })

  it('replaces the path of requests', () => {
    const { cluster, ask } = started({ WORK: '300ms' })
    cluster.apply(httpChaos('fault', { target: 'Request', port: 8080, path: '/a', replace: { path: '/healthz' } }))
    cluster.run(2)
    const answers = urls.map((url) => ask(url))
    cluster.run(3)
    expect(answers.map(({ after }) => after < 0.1)).toEqual([true, false])
  })

  it('is over with its duration, as its status says', () => {
    const { cluster, ask } = started()
    cluster.apply(httpChaos('fault', { target: 'Request', port: 8080, abort: true, duration: '10s' }))
    cluster.run(2)
    const status = () => cluster.store.get('httpchaos.chaos-mesh.org', 'app', 'fault')?.status
    expect(status()).toMatchObject({
      experiment: { containerRecords: [{ id: 'app/web', phase: 'Injected', injectedCount: 1 }] },
      instances: { 'app/web': 1 },
    })
    cluster.run(12)
    expect(status()).toMatchObject({
      experiment: { containerRecords: [{ phase: 'Not Injected', recoveredCount: 1 }] },
      instances: { 'app/web': 2 },
    })
    const answer = ask('http://web')
    cluster.run(1)
    expect(answer.status).toBe(200)
  })
})

describe('NetworkChaos', () => {
  it('throws corrupted packets away', () => {
    const [answer] = asked({ action: 'corrupt', corrupt: { corrupt: '100' } }, ['http://web'], networkChaos)
    expect(answer).toMatchObject({ error: 'ETIMEDOUT' })
  })

  it('changes nothing by duplicates, which TCP throws away', () => {
    const [answer] = asked({ action: 'duplicate', duplicate: { duplicate: '100' } }, ['http://web'], networkChaos)
    expect(answer?.after).toBeLessThan(0.01)
  })

  it('limits the rate at which packets leave', () => {
    const spec = { action: 'bandwidth', bandwidth: { rate: '1kbps', limit: 20_000, buffer: 100 } }
    const answers = asked(
      spec,
      Array.from({ length: 4 }, () => 'http://web'),
      networkChaos,
    )
    const after = answers.map((answer) => answer.after)
    expect(Math.min(...after)).toBeGreaterThan(0.3)
    expect(Math.max(...after)).toBeGreaterThan(Math.min(...after) + 0.5)
  })

  it('does what netem is asked for, all at once', () => {
    const spec = { action: 'netem', delay: { latency: '100ms' }, loss: { loss: '0' }, rate: { rate: '1mbps' } }
    const [answer] = asked(spec, ['http://web'], networkChaos)
    expect(answer?.after).toBeGreaterThan(0.2)
    expect(answer?.after).toBeLessThan(0.22)
  })

  it('lets packets overtake others', () => {
    const delay = { latency: '200ms', reorder: { reorder: '100', gap: 2 } }
    const answers = asked(
      { action: 'delay', delay },
      Array.from({ length: 20 }, () => 'http://web'),
      networkChaos,
    )
    const after = answers.map((answer) => answer.after)
    // Two packets leave the target for each request, and every second packet goes at once.
    expect(Math.max(...after)).toBeGreaterThan(0.15)
    expect(after.reduce((sum, one) => sum + one, 0) / after.length).toBeCloseTo(0.2, 1)
  })

  it('refuses at once where a partition is to reject', () => {
    const spec = { action: 'partition', direction: 'from', target: onClient, partitionBehavior: 'reject' }
    const [answer] = asked(spec, ['http://web'], networkChaos)
    expect(answer).toMatchObject({ error: 'ECONNREFUSED' })
  })

  it('is limited to addresses where it names some', () => {
    const { cluster, ask } = started()
    const ip = cluster.pod('client').status?.podIP ?? ''
    cluster.apply(networkChaos('a', { action: 'delay', delay: { latency: '100ms' }, externalTargets: [`${ip}/32`] }))
    cluster.run(2)
    const answer = ask('http://web')
    cluster.run(3)
    expect(answer.after).toBeCloseTo(0.2, 2)
    const elsewhere = { action: 'delay', delay: { latency: '100ms' }, externalTargets: ['192.168.0.0/16'] }
    expect(asked(elsewhere, ['http://web'], networkChaos)[0]?.after).toBeLessThan(0.01)
  })

  it('tells addresses of a block from others', () => {
    expect(new AddressBlock('10.0.0.0/8').has('10.255.3.4')).toBe(true)
    expect(new AddressBlock('10.0.0.0/8').has('11.0.0.0')).toBe(false)
    expect(new AddressBlock('0.0.0.0/0').has('203.0.113.9')).toBe(true)
    expect(new AddressBlock('192.168.1.1').has('192.168.1.2')).toBe(false)
  })

  it('keeps to its rate over time and throws away what does not fit its queue', () => {
    const line = new RateEffect({ bytesPerMs: 1, burstBytes: 100, queueBytes: 250 })
    expect(line.onPacket(0, 100)).toBe(0)
    expect(line.onPacket(0, 100)).toBe(100)
    expect(line.onPacket(0, 100)).toBe(200)
    expect(line.onPacket(0, 100)).toBe(LOST)
    expect(line.onPacket(300, 100)).toBe(0)
  })
})

describe('a cluster under every kind of fault', () => {
  it('can be forked, and the fork goes on as its origin does', () => {
    const { cluster } = started()
    const limited = { resources: { limits: { cpu: '100m', memory: '64Mi' }, requests: { cpu: '50m' } } }
    cluster.apply(pod('tight', { container: limited }))
    const policy = { podSelector: {}, ingress: [{}], egress: [{}], policyTypes: ['Ingress', 'Egress'] }
    cluster.apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'all' },
      spec: policy,
    })
    cluster.run(5)
    const onTight = { mode: 'all', selector: { namespaces: ['app'], labelSelectors: { app: 'tight' } } }
    const stress = networkChaos('stress', { ...onTight, stressors: { cpu: { workers: 2 } }, duration: '40s' })
    cluster.apply({ ...stress, kind: 'StressChaos' })
    cluster.apply(dnsChaos('names', { ...onClient, action: 'error', duration: '40s' }))
    cluster.apply(httpChaos('late', { target: 'Request', port: 8080, delay: '300ms', duration: '40s' }))
    const bandwidth = { rate: '1kbps', limit: 20_000, buffer: 100 }
    cluster.apply(networkChaos('narrow', { action: 'bandwidth', bandwidth, duration: '40s' }))
    cluster.startProber([{ id: 'web', kind: 'http', url: 'http://web.app', ratePerSecond: 5, timeoutMs: 2000 }])
    cluster.run(10)
    const copy = cluster.engine.fork()
    const logOf = (engine: typeof copy) =>
      engine.logs({ namespace: 'probe', pod: 'prober', container: null, previous: false }).map(({ text }) => text)
    cluster.run(40)
    copy.kernel.runUntil(cluster.kernel.now)
    expect(logOf(copy)).toEqual(logOf(cluster.engine))
    expect(logOf(copy).length).toBeGreaterThan(100)
    expect(copy.usageOf(cluster.pod('tight'))).toEqual(cluster.engine.usageOf(cluster.pod('tight')))
  })
})
