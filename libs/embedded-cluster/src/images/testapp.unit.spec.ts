import { pod, service, START_MS, TestCluster } from '../engine-fixture.spec.js'
import { parseGoDuration } from './go-duration.js'

interface Answer {
  status: number | null
  error: string | null
  /** Seconds after the request. */
  after: number
}

/** A running test app, and requests to it from another pod. */
function running(env: Record<string, string>, others: Record<string, Record<string, string>> = {}) {
  const cluster = new TestCluster()
  for (const [name, settings] of Object.entries({ web: env, client: {}, ...others })) {
    cluster.apply(pod(name, { env: settings, container: {} }))
    cluster.apply(service(name))
  }
  cluster.run(10)
  const { network } = cluster.engine
  const from = network.peer(cluster.pod('client').status?.podIP ?? '')
  if (!from) throw new Error('no client')
  const ask = (path = '/', timeoutMs = 5000): Answer => {
    const answer: Answer = { status: null, error: 'open', after: NaN }
    const sent = cluster.now
    network.get(
      { from, to: { host: 'web', port: 80, path }, timeoutMs },
      { answered: (status, error) => Object.assign(answer, { status, error, after: cluster.now - sent }) },
    )
    return answer
  }
  return { cluster, ask }
}

describe('ordeal/testapp:1', () => {
  it('works 2 ms on a request and answers 200', () => {
    const { cluster, ask } = running({})
    const answer = ask()
    cluster.run(1)
    expect(answer).toMatchObject({ status: 200, error: null })
    expect(answer.after).toBeCloseTo(0.0028, 4)
  })

  it('queues what its workers cannot take, in order', () => {
    const { cluster, ask } = running({ WORK: '100ms', WORKERS: '2' })
    const answers = Array.from({ length: 6 }, () => ask())
    cluster.run(1)
    const times = answers.map(({ after }) => Number(after.toFixed(1)))
    expect(times).toEqual([0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
  })

  it('answers /healthz at once though every worker is busy', () => {
    const { cluster, ask } = running({ WORK: '3s', WORKERS: '1' })
    const busy = [ask(), ask()]
    const health = ask('/healthz')
    cluster.run(1)
    expect(health).toMatchObject({ status: 200, error: null })
    expect(busy.map(({ error }) => error)).toEqual(['open', 'open'])
  })

  it('drops a queued request whose caller has gone', () => {
    const { cluster, ask } = running({ WORK: '1s', WORKERS: '1' })
    const first = ask()
    const impatient = ask('/', 500)
    const patient = ask()
    cluster.run(4)
    expect([first.status, impatient.error, patient.status]).toEqual([200, 'ETIMEDOUT', 200])
    expect(patient.after).toBeCloseTo(2, 1)
  })

  it('calls others one after another, holding its worker', () => {
    const backend = { api: { WORK: '200ms' }, store: { WORK: '300ms' } }
    const { cluster, ask } = running({ CALLS: 'http://api/list,http://store.app.svc.cluster.local:80' }, backend)
    const answer = ask()
    cluster.run(1)
    expect(answer.status).toBe(200)
    expect(answer.after).toBeCloseTo(0.5, 1)
  })

  it('falls back to alternatives, and answers 502 when none works', () => {
    const { cluster, ask } = running({ CALLS: 'http://nowhere|http://api' }, { api: {} })
    const answer = ask()
    cluster.run(1)
    expect(answer.status).toBe(200)
    cluster.store.remove('pods', 'app', 'api')
    cluster.run(5)
    const late = ask()
    cluster.run(1)
    expect(late.status).toBe(502)
  })

  it('gives up on a call after TIMEOUT', () => {
    const { cluster, ask } = running({ CALLS: 'http://api', TIMEOUT: '400ms' }, { api: { WORK: '2s' } })
    const answer = ask()
    cluster.run(1)
    expect(answer.status).toBe(502)
    expect(answer.after).toBeCloseTo(0.4, 1)
  })

  it('on SIGTERM refuses new requests at once, finishes what runs and exits 0', () => {
    const { cluster, ask } = running({ WORK: '2s' })
    const open = ask()
    cluster.run(0.1)
    cluster.store.remove('pods', 'app', 'web', { graceSeconds: 30 })
    cluster.run(0.05)
    const late = ask()
    cluster.run(0.1)
    expect(late.error).toBe('ECONNREFUSED')
    cluster.runUntilTrue(() => open.error !== 'open')
    expect(open.status).toBe(200)
    expect(open.after).toBeCloseTo(2, 1)
  })

  it('breaks what still runs 5 s after SIGTERM', () => {
    const { cluster, ask } = running({ WORK: '20s' })
    const open = ask('/', 30_000)
    cluster.run(0.1)
    cluster.store.remove('pods', 'app', 'web', { graceSeconds: 30 })
    cluster.run(10)
    expect(open.error).toBe('ECONNRESET')
    expect(open.after).toBeGreaterThan(5)
    expect(open.after).toBeLessThan(5.3)
  })

  it('ends during its start-up when told to', () => {
    const { cluster } = running({ STARTUP: '60s' })
    cluster.store.remove('pods', 'app', 'web', { graceSeconds: 30 })
    expect(cluster.runUntilTrue(() => !cluster.store.get('pods', 'app', 'web'))).toBeLessThan(1)
  })

  it('says when it listens', () => {
    const { cluster } = running({ STARTUP: '2s', PORT: '9000' })
    const lines = cluster.engine.logs({ namespace: 'app', pod: 'web', container: 'web', previous: false })
    expect(lines.map(({ text }) => text)).toEqual(['listening on :9000'])
    expect((lines[0]?.at ?? 0) - START_MS).toBeGreaterThan(2500)
  })
})

describe('parseGoDuration', () => {
  it('reads what Go reads, and refuses what Go refuses', () => {
    const cases = ['0', '1.5s', '1m30s', '250ms', '2h', '100us', '-1s', '', '90', 's', '1x', '1 s']
    expect(cases.map(parseGoDuration)).toEqual([
      0,
      1500,
      90_000,
      250,
      7_200_000,
      0.1,
      -1000,
      null,
      null,
      null,
      null,
      null,
    ])
  })
})
