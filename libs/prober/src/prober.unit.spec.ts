import { parseSamples } from './parse-samples.js'
import { type HttpAnswer, type ListAnswer, type ProberHost } from './host.js'
import { createProber } from './prober.js'
import { type ProberConfig, type SampleLine } from './protocol.js'
import { loadSandbox, runScript } from './script/sandbox.js'

/** A host whose time moves only when told to. `answer` is asked for each request with its number. */
function fakeHost(answer: { http?: (n: number) => { afterMs: number } & HttpAnswer; list?: () => ListAnswer }) {
  let now = 1000
  let queue: { at: number; run: () => void }[] = []
  const lines: string[] = []
  let requests = 0
  const host: ProberHost = {
    now: () => now,
    at: (at, task) => {
      const timer = { at, run: () => task.run() }
      queue.push(timer)
      return { cancel: () => (queue = queue.filter((t) => t !== timer)) }
    },
    http: (_request, taker) => {
      const given = answer.http?.(requests++)
      if (given) host.at(now + given.afterMs, { run: () => taker.answered(given) })
    },
    list: (_path, taker) => taker.listed(answer.list?.() ?? { objects: [], error: null }),
    script: runScript,
    log: (line) => lines.push(line),
  }
  /** Runs everything due until `to`, or jumps there at once as a stalled process does. */
  const advance = (to: number, jump = false) => {
    if (jump) now = to
    for (;;) {
      const next = queue.filter((t) => t.at <= to).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      queue = queue.filter((t) => t !== next)
      now = Math.max(now, next.at)
      next.run()
    }
    now = to
  }
  const samples = (): SampleLine[] => parseSamples(lines.map((l) => `${l}\n`).join(''))
  return { host, advance, samples, pending: () => queue.length }
}

const http: ProberConfig = {
  probes: [{ id: 'front', kind: 'http', url: 'http://front', ratePerSecond: 10, timeoutMs: 500 }],
}
const pods: ProberConfig = { probes: [{ id: 'pods', kind: 'k8s', path: '/pods', minReady: 1, periodMs: 1000 }] }
const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }

describe('createProber', () => {
  it('sends at a constant rate whatever the answers take, and counts latency from when a reading was sent', () => {
    const world = fakeHost({ http: () => ({ afterMs: 250, status: 200, error: null }) })
    createProber(world.host, http).start()
    world.advance(2000)
    const samples = world.samples()
    expect(samples.map((s) => s.at)).toEqual([1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700])
    expect(samples.every((s) => s.ok && s.latencyMs === 250)).toBe(true)
  })

  it.each([
    [200, true],
    [302, true],
    [404, false],
    [503, false],
  ])('takes status %i as ok=%s', (status, ok) => {
    const world = fakeHost({ http: () => ({ afterMs: 1, status, error: null }) })
    createProber(world.host, http).start()
    world.advance(1050)
    expect(world.samples()).toEqual([
      { probe: 'front', at: 1000, ok, latencyMs: 1, value: status, error: ok ? null : `status ${status}` },
    ])
  })

  it('writes a request that is never answered as failed at its time-out', () => {
    const world = fakeHost({})
    createProber(world.host, http).start()
    world.advance(1500)
    expect(world.samples()).toEqual([
      { probe: 'front', at: 1000, ok: false, latencyMs: null, value: null, error: 'no answer within 500 ms' },
    ])
  })

  it('bounds the requests that are out, and writes those it does not send', () => {
    let sent = 0
    const world = fakeHost({})
    const host = { ...world.host, http: () => void (sent += 1) }
    createProber(host, http).start()
    world.advance(5000)
    expect(sent).toBe(12)
    expect(world.samples().filter((s) => s.error === 'prober: 12 readings are still out')).toHaveLength(29)
  })

  it('writes what it missed while it stood still, and goes on in step', () => {
    const world = fakeHost({ http: () => ({ afterMs: 1, status: 200, error: null }) })
    createProber(world.host, http).start()
    world.advance(1090)
    world.advance(1950, true)
    world.advance(2190)
    const late = world.samples().filter((s) => s.error?.startsWith('prober: late'))
    expect(late.map((s) => s.at)).toEqual([1100, 1200, 1300, 1400])
    expect(world.samples().map((s) => s.at)).toEqual(Array.from({ length: 12 }, (_, i) => 1000 + i * 100))
  })

  it('takes readings that come a little late, and does not call the application slow for that', () => {
    const world = fakeHost({ http: () => ({ afterMs: 7, status: 200, error: null }) })
    createProber(world.host, http).start()
    world.advance(1090)
    world.advance(1450, true)
    world.advance(1490)
    expect(world.samples().map((s) => [s.at, s.ok, s.latencyMs])).toEqual(
      [1000, 1100, 1200, 1300, 1400].map((at) => [at, true, 7]),
    )
  })

  it('does not call an application silent whose answer it was held up to hear', () => {
    const world = fakeHost({ http: () => ({ afterMs: 400, status: 200, error: null }) })
    createProber(world.host, { probes: [{ ...http.probes[0], timeoutMs: 300 } as (typeof http.probes)[0]] }).start()
    world.advance(2200, true)
    const first = world.samples().find((s) => s.at === 1000)
    expect(first).toMatchObject({ ok: false, error: 'prober: held up for 900 ms' })
  })

  it('counts ready pods that are not being deleted', () => {
    const leaving = { ...ready, metadata: { deletionTimestamp: 'now' } }
    const world = fakeHost({ list: () => ({ objects: [ready, leaving, {}], error: null }) })
    createProber(world.host, pods).start()
    world.advance(1000)
    expect(world.samples()).toMatchObject([{ ok: true, value: 1, latencyMs: null, error: null }])
  })

  it('tells a failed read of the API from a missing pod', () => {
    const world = fakeHost({ list: () => ({ objects: null, error: 'status 503' }) })
    createProber(world.host, pods).start()
    world.advance(1000)
    expect(world.samples()).toMatchObject([{ ok: false, value: null, error: 'prober: status 503' }])
  })

  it('writes nothing and holds no timer after stop', () => {
    const world = fakeHost({})
    const prober = createProber(world.host, http)
    prober.start()
    world.advance(1050)
    prober.stop()
    expect(world.pending()).toBe(0)
    world.advance(3000)
    expect(world.samples()).toEqual([])
  })

  it('holds no timer when it is stopped by the reader of a line', () => {
    const world = fakeHost({})
    const host = { ...world.host, log: () => prober.stop() }
    const prober = createProber(host, http)
    prober.start()
    world.advance(5000, true) // stalled: the readings due meanwhile are late, which is written at once
    expect(world.pending()).toBe(0)
  })
})

describe('a script as a probe', () => {
  beforeAll(loadSandbox)

  const probing = (code: string, prometheusUrl: string | null = null): ProberConfig => ({
    probes: [
      {
        id: 's',
        kind: 'script',
        code,
        url: 'http://shop',
        podsPath: '/pods',
        prometheusUrl,
        periodMs: 1000,
        timeoutMs: 900,
      },
    ],
  })
  const readingOf = (config: ProberConfig, world: ReturnType<typeof fakeHost>): SampleLine | undefined => {
    createProber(world.host, config).start()
    world.advance(1999)
    return world.samples()[0]
  }

  it('takes its answers one after the other, in one reading', () => {
    const code = `
      const page = http.request('/cart')
      assert(page.ok, 'status ' + page.status)
      sleep(50)
      sample(k8s.list('pods').length)`
    const world = fakeHost({
      http: () => ({ afterMs: 20, status: 200, error: null }),
      list: () => ({ objects: [ready, ready], error: null }),
    })
    expect(readingOf(probing(code), world)).toEqual({
      probe: 's',
      at: 1000,
      ok: true,
      latencyMs: 70,
      value: 2,
      error: null,
    })
  })

  it('fails by an assertion, with its words', () => {
    const world = fakeHost({ http: () => ({ afterMs: 1, status: 503, error: null }) })
    const code = `const page = http.request('/'); assert(page.ok, 'status ' + page.status)`
    expect(readingOf(probing(code), world)).toMatchObject({ ok: false, error: 'status 503' })
  })

  it('reads the first number of a query', () => {
    const body = JSON.stringify({ data: { result: [{ metric: {}, value: [1, '0.25'] }] } })
    const world = fakeHost({ http: () => ({ afterMs: 1, status: 200, error: null, body }) })
    expect(readingOf(probing(`sample(prom.query('up'))`, 'http://prom'), world)).toMatchObject({
      ok: true,
      value: 0.25,
    })
  })

  it.each([
    ['is at fault itself', 'null.x', /^prober: script: TypeError/],
    ['queries a Prometheus that there is none of', `prom.query('up')`, /^prober: script: prom\.query: no Prometheus/],
    ['does not end in time', 'sleep(950)', /^no answer within 900 ms/],
  ])('that %s says so', (_, code, error) => {
    expect(readingOf(probing(code), fakeHost({}))).toMatchObject({
      ok: false,
      error: expect.stringMatching(error) as string,
    })
  })
})
