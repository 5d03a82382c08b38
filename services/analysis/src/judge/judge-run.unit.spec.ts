import fc from 'fast-check'
import { type Check, type Hypothesis, type Run, type Sample, type SteadyState, type Verdict } from '@ordeal/shared'
import { compare, judgeRun } from './judge-run.js'
import { longestOutage, worstShare } from './judge-window.js'
import { scoreOf } from './score.js'

const WINDOWS = {
  pre: { from: 0, to: 10_000 },
  fault: { from: 10_000, to: 70_000 },
  post: { from: 70_000, to: 90_000 },
}

const state = (id: string, weight: 3 | 1 = 3): SteadyState => ({
  id,
  statement: `${id} answers`,
  target: 'Service/shop',
  weight,
  probe: { kind: 'http', service: 'shop', port: 80, path: '/', ratePerSecond: 10, timeoutMs: 2000 },
  threshold: {
    maxLatencyMs: 500,
    fault: { minShare: 0.95, maxOutageMs: 5000 },
    post: { normalAfterMs: 5000, minShare: 0.98 },
  },
  baseline: { samples: 150, failed: 0, latencyMs: { p50: 2, p99: 5 } },
  negativeControl: { failed: true, how: 'scaled to 0', method: 'target-broken' },
})

const hypothesis: Hypothesis = {
  steadyStates: [state('shop-answers')],
  scenario: {
    event: 'a pod is lost',
    reason: 'single pod',
    faults: [
      [
        {
          id: 'f1',
          kind: 'PodChaos',
          action: 'pod-kill',
          target: { component: 'Deployment/shop', selector: { app: 'shop' }, mode: 'one', count: null },
          parameters: {},
          durationMs: 60_000,
        },
      ],
    ],
  },
  timing: { preMs: 10_000, faultMs: 60_000, postMs: 20_000 },
  assumptions: [],
  hash: 'sha256:frozen',
}

/** Samples every 100 ms over the whole run; bad where `isBad` says so. */
const samples = (isBad: (at: number) => boolean, more: Partial<Sample> = {}): Sample[] =>
  Array.from({ length: 900 }, (_, i) => i * 100).map((at) =>
    isBad(at)
      ? { at, ok: false, latencyMs: null, value: null, error: 'connection refused', ...more }
      : { at, ok: true, latencyMs: 3, value: null, error: null },
  )

const run = (own: Sample[], more: Partial<Run> = {}): Run => ({
  revision: 0,
  hypothesisHash: 'sha256:frozen',
  windows: WINDOWS,
  injections: [
    {
      fault: 'f1',
      targets: ['shop-1'],
      evidence: { record: 'injected once', effect: 'pod replaced' },
      injectedAt: 10_000,
      recoveredAt: 71_000,
    },
  ],
  samples: { 'shop-answers': own },
  observations: [],
  problem: null,
  ...more,
})

const never = (): boolean => false
const injection = run([]).injections[0]!

describe('judgeRun', () => {
  it('holds when every sample is good', () => {
    const verdict = judgeRun(run(samples(never)), hypothesis, null)
    expect(verdict).toMatchObject({ verdict: 'held', reason: null, score: 100 })
    expect(verdict.checks.map((c) => c.outcome)).toEqual(['passed', 'passed', 'passed'])
  })

  it('is refuted by a share of failures over the threshold', () => {
    const verdict = judgeRun(run(samples((at) => at >= 10_000 && at < 70_000 && at % 1000 === 0)), hypothesis, null)
    expect(verdict.verdict).toBe('refuted')
    expect(verdict.checks.find((c) => c.window === 'fault')).toMatchObject({
      outcome: 'failed',
      samples: 600,
      failed: 60,
    })
  })

  it('tolerates a short outage within the share, but not a total one over its bound', () => {
    const long = {
      ...hypothesis,
      steadyStates: [
        {
          ...state('shop-answers'),
          threshold: { ...state('x').threshold, fault: { minShare: 0.5, maxOutageMs: 5000 } },
        },
      ],
    }
    const outage = (ms: number): Run => run(samples((at) => at >= 20_000 && at < 20_000 + ms))
    expect(judgeRun(outage(2900), hypothesis, null).verdict).toBe('held')
    expect(judgeRun(outage(5000), long, null).verdict).toBe('held')
    expect(judgeRun(outage(5100), long, null).verdict).toBe('refuted')
  })

  it('is refuted by answers that are too slow', () => {
    const slow = samples((at) => at >= 30_000 && at < 40_000, { ok: true, latencyMs: 900, error: null })
    expect(judgeRun(run(slow), hypothesis, null).verdict).toBe('refuted')
  })

  it('asks for normal answers from 5 s after the fault window, and tells when they came', () => {
    const late = judgeRun(run(samples((at) => at >= 69_000 && at < 82_000)), hypothesis, null)
    const post = late.checks.find((c) => c.window === 'post')
    expect(post).toMatchObject({ outcome: 'failed', recoveredAfterMs: 12_000 })
    const soon = judgeRun(run(samples((at) => at >= 69_000 && at < 74_000)), hypothesis, null)
    expect(soon).toMatchObject({ verdict: 'held' })
    expect(soon.checks.find((c) => c.window === 'post')).toMatchObject({ outcome: 'passed', recoveredAfterMs: 4000 })
  })

  it('cannot be thinned out by a longer look: a share is asked of every stretch', () => {
    const far = { ...WINDOWS, fault: { from: 10_000, to: 190_000 }, post: { from: 190_000, to: 210_000 } }
    const bad = (at: number): boolean => at >= 40_000 && at < 44_500
    const own = Array.from({ length: 2100 }, (_, i) => i * 100).map((at): Sample => ({
      at,
      ok: !bad(at),
      latencyMs: bad(at) ? null : 3,
      value: null,
      error: bad(at) ? 'x' : null,
    }))
    const long = { windows: far, injections: [{ ...injection, recoveredAt: 191_000 }] }
    expect(judgeRun(run(own, long), hypothesis, null).verdict).toBe('held')
    const stretched = { ...hypothesis, stretches: hypothesis.timing }
    const verdict = judgeRun(run(own, long), stretched, null)
    expect(verdict.verdict).toBe('refuted')
    expect(verdict.checks.find((c) => c.outcome === 'failed')?.worst).toBe(
      '97.5 % good (92.5 % in its worst 60 s), longest outage 4.5 s; mostly: x',
    )
    expect(judgeRun(run(samples(never)), stretched, null)).toMatchObject({ verdict: 'held' })
  })

  it('tells of an application that never recovers', () => {
    const dead = judgeRun(run(samples((at) => at >= 10_000)), hypothesis, null)
    expect(dead).toMatchObject({ verdict: 'refuted', score: 0 })
    expect(dead.checks.find((c) => c.window === 'post')?.recoveredAfterMs).toBeNull()
  })

  it.each([
    ['prober-lost', run(samples(never).filter((s) => s.at < 30_000))],
    ['prober-lost', run([])],
    ['baseline-broken', run(samples((at) => at < 5000))],
    ['not-injected', run(samples(never), { injections: [] })],
    ['not-injected', run(samples(never), { injections: [{ ...injection, targets: [] }] })],
    ['not-injected', run(samples(never), { injections: [{ ...injection, evidence: { record: null, effect: 'x' } }] })],
    [
      'silent-injection',
      run(samples(never), { injections: [{ ...injection, evidence: { record: 'x', effect: null } }] }),
    ],
    ['not-recovered', run(samples(never), { injections: [{ ...injection, recoveredAt: null }] })],
    [
      'not-recovered',
      run(samples(never), { recovery: [{ component: 'Pod/x', healthyAfterMs: null, problem: 'it is gone' }] }),
    ],
    ['other-hypothesis', run(samples(never), { hypothesisHash: 'sha256:other' })],
    ['cluster-lost', run(samples(never), { problem: { reason: 'cluster-lost', message: 'gone' } })],
  ])('never holds in doubt: %s', (reason, doubtful) => {
    expect(judgeRun(doubtful, hypothesis, null)).toMatchObject({ verdict: 'inconclusive', reason })
  })

  it('refutes by what failed, whether or not a target came back', () => {
    const recovery = [{ component: 'Pod/x', healthyAfterMs: null, problem: 'it is gone' }]
    expect(
      judgeRun(
        run(
          samples((at) => at > 15_000),
          { recovery },
        ),
        hypothesis,
        null,
      ),
    ).toMatchObject({
      verdict: 'refuted',
      reason: null,
    })
  })

  describe('of a run that a guard stopped', () => {
    const cut = { pre: WINDOWS.pre, fault: { from: 10_000, to: 25_000 }, post: { from: 25_000, to: 25_000 } }
    const problem = { reason: 'guard' as const, message: 'the run was stopped: 0 % good' }
    const stopped = (isBad: (at: number) => boolean, more: Partial<Run> = {}): Verdict =>
      judgeRun(
        run(
          samples(isBad).filter((s) => s.at < 25_000),
          { windows: cut, problem, ...more },
        ),
        hypothesis,
        null,
      )

    it('is refuted by what failed until then, and says that it was stopped', () => {
      expect(stopped((at) => at >= 10_000)).toMatchObject({
        verdict: 'refuted',
        reason: null,
        message: problem.message,
      })
    })
    it('is inconclusive when nothing failed that refutes it', () => {
      expect(stopped(never)).toMatchObject({ verdict: 'inconclusive', reason: 'guard' })
    })
    it('does not ask for faults that it did not come to', () => {
      const later = {
        fault: 'f2',
        targets: [],
        evidence: { record: null, effect: null },
        injectedAt: null,
        recoveredAt: null,
      }
      const verdict = stopped((at) => at >= 10_000, { injections: [injection, later] })
      expect(verdict).toMatchObject({ verdict: 'refuted' })
    })
    it('is in doubt for the usual reasons first', () => {
      const silent = { injections: [{ ...injection, evidence: { record: 'x', effect: null } }] }
      expect(stopped((at) => at >= 10_000, silent)).toMatchObject({ reason: 'silent-injection' })
      expect(stopped((at) => at < 10_000)).toMatchObject({ reason: 'baseline-broken' })
    })
  })

  it('is inconclusive, not refuted, when samples fail in a run without injection', () => {
    const verdict = judgeRun(
      run(
        samples((at) => at > 20_000),
        { injections: [] },
      ),
      hypothesis,
      null,
    )
    expect(verdict).toMatchObject({ verdict: 'inconclusive', reason: 'not-injected' })
  })
})

describe('compare', () => {
  const check = (steadyState: string, outcome: Check['outcome'], failed = 0): Check => ({
    steadyState,
    window: 'fault',
    outcome,
    samples: 100,
    failed,
    worst: '',
    recoveredAfterMs: null,
  })
  const base: Verdict = {
    revision: 0,
    verdict: 'refuted',
    reason: null,
    message: null,
    checks: [check('a', 'failed', 50), check('b', 'passed')],
    score: 60,
    comparison: null,
  }

  it('names what held before and fails now, even when less fails in all', () => {
    expect(compare(base, 70, [check('a', 'passed'), check('b', 'failed')])).toEqual({
      better: true,
      regressions: ['b in the fault window'],
    })
  })

  it('asks for fewer failed checks, or the same with a better score', () => {
    expect(compare(base, 60, [check('a', 'failed'), check('b', 'passed')]).better).toBe(false)
    expect(compare(base, 61, [check('a', 'failed'), check('b', 'passed')]).better).toBe(true)
    expect(compare(base, 10, [check('a', 'passed'), check('b', 'passed')]).better).toBe(true)
  })
})

describe('worstShare', () => {
  it('is that of the worst stretch, found by looking at each', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 1, max: 80 }),
        (bits, n) => {
          fc.pre(n < bits.length)
          const own = bits.map((ok, i): Sample => ({ at: i * 100, ok, latencyMs: 1, value: null, error: null }))
          const shares = bits
            .slice(0, bits.length - n + 1)
            .map((_, i) => bits.slice(i, i + n).filter(Boolean).length / n)
          const bounds = { from: 0, to: bits.length * 100, stretchMs: n * 100 }
          expect(worstShare(own, (s) => s.ok, bounds)).toBeCloseTo(Math.min(...shares), 9)
        },
      ),
    )
  })
})

describe('longestOutage', () => {
  it('never exceeds the window and is 0 exactly when nothing failed', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (pattern) => {
        const own = pattern.map((ok, i): Sample => ({ at: i * 100, ok, latencyMs: 1, value: null, error: null }))
        const outage = longestOutage(own, (s) => s.ok, pattern.length * 100)
        expect(outage).toBeLessThanOrEqual(pattern.length * 100)
        expect(outage === 0).toBe(pattern.every(Boolean))
      }),
    )
  })
})

describe('scoreOf', () => {
  const counts = fc.record({
    samples: fc.integer({ min: 0, max: 500 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })

  it('lies between 0 and 100 and never falls when a failed sample turns good', () => {
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 6 }), fc.nat(), (all, pick) => {
        const states = all.map((_, i) => state(`s${i}`, i % 2 ? 1 : 3))
        const checks = all.map((c, i): Check => ({
          steadyState: `s${i}`,
          window: i % 2 ? 'post' : 'fault',
          outcome: 'failed',
          samples: c.samples,
          failed: Math.floor(c.samples * c.share),
          worst: '',
          recoveredAfterMs: null,
        }))
        const score = scoreOf(states, checks)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(100)
        const better = checks.map((c, i) =>
          i === pick % checks.length && c.failed > 0 ? { ...c, failed: c.failed - 1 } : c,
        )
        expect(scoreOf(states, better)).toBeGreaterThanOrEqual(score)
      }),
    )
  })

  it('weighs what a user sees three times a component', () => {
    const all = (id: string, failed: number): Check => ({
      steadyState: id,
      window: 'fault',
      outcome: 'passed',
      samples: 10,
      failed,
      worst: '',
      recoveredAfterMs: null,
    })
    expect(scoreOf([state('user', 3), state('part', 1)], [all('user', 10), all('part', 0)])).toBe(25)
  })
})
