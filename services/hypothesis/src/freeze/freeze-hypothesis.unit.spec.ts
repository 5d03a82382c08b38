import {
  DEFAULT_EXPECTATIONS,
  type Graph,
  type Hypothesis,
  type Measurement,
  type Scenario,
  type SteadyStateDraft,
} from '@ordeal/shared'
import { sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { freezeHypothesis, keepProven, requireFeeling } from './freeze-hypothesis.js'
import { timelinePlanner } from './timeline.agent.js'

const draft = (id: string, weight: 3 | 1): SteadyStateDraft => ({
  id,
  statement: id,
  target: weight === 3 ? 'Service/shop' : 'Deployment/shop',
  weight,
  probe:
    weight === 3
      ? { kind: 'http', service: 'shop', port: 80, path: '/', ratePerSecond: 10, timeoutMs: 2000 }
      : { kind: 'k8s', selector: { app: 'shop' }, minReady: 1, periodMs: 1000 },
  threshold: {
    maxLatencyMs: null,
    fault: { minShare: 0.95, maxOutageMs: 5000 },
    post: { normalAfterMs: 5000, minShare: 0.98 },
  },
})

const scenario: Scenario = {
  event: 'two steps',
  reason: 'to see the window span both',
  faults: ['f1', 'f2'].map((id) => [
    {
      id,
      kind: 'PodChaos' as const,
      action: 'pod-kill' as const,
      target: { component: 'Deployment/shop', selector: { app: 'shop' }, mode: 'one' as const, count: null },
      parameters: {},
      durationMs: 60_000,
    },
  ]),
}

const measured = (
  id: string,
  own: { failed?: number; samples?: number; p99?: number; controlFailed?: boolean } = {},
) => ({
  id,
  baseline: {
    samples: own.samples ?? 150,
    failed: own.failed ?? 0,
    latencyMs: own.p99 === undefined ? null : { p50: 1, p99: own.p99 },
  },
  negativeControl: { failed: own.controlFailed ?? true, how: 'scaled to 0', method: 'target-broken' as const },
})

const settled = (...steadyStates: ReturnType<typeof measured>[]): Measurement => ({
  settled: true,
  settledAfterMs: 3000,
  steadyStates,
})

const graph: Graph = {
  application: 'shop',
  workloads: ['shop', 'worker'].map((name) => sampleWorkload(name, { replicas: 1 })),
  services: [sampleService('shop')],
  edges: [],
  entryPoints: ['Service/shop'],
}

const drafts = [draft('shop-answers', 3), draft('shop-ready', 1)]
const expectations = DEFAULT_EXPECTATIONS
/** The way that the phase goes, with the rules' answers. */
function frozen(measurement: Measurement, component = 'Deployment/shop'): Hypothesis {
  const kept = keepProven(drafts, measurement)
  requireFeeling(graph, [component], kept)
  const timing = timelinePlanner.expert({ scenario, steadyStates: [...kept.steadyStates] })
  return freezeHypothesis({ ...kept, scenario, timing, expectations })
}

describe('freezeHypothesis', () => {
  it('keeps what works and can fail, with a latency bound from the baseline and a window over all steps', () => {
    const measurement = settled(measured('shop-answers', { p99: 400 }), measured('shop-ready'))
    const hypothesis = frozen(measurement)
    expect(hypothesis.steadyStates.map((s) => s.threshold.maxLatencyMs)).toEqual([1200, null])
    expect(hypothesis.timing.faultMs).toBe(120_000)
    expect(hypothesis.hash).toBe(frozen(measurement).hash)
  })

  it('never lets a jitter of milliseconds, or more than the time-out, become the bound', () => {
    const bound = (p99: number): number | null | undefined =>
      frozen(settled(measured('shop-answers', { p99 }), measured('shop-ready'))).steadyStates[0]?.threshold.maxLatencyMs
    expect(bound(2)).toBe(500)
    expect(bound(1900)).toBe(2000)
  })

  it('freezes a check as it was asked, and says where that is not the way of users', () => {
    const through = { ingress: 'Ingress/door', host: 'shop.test' }
    const behind = drafts.map((each) =>
      each.probe.kind === 'http'
        ? { ...each, statement: 'It answers through Ingress/door', probe: { ...each.probe, through } }
        : each,
    )
    const probeOf = (around?: string) => {
      const answers = { ...measured('shop-answers'), ...(around === undefined ? {} : { around }) }
      const kept = keepProven(behind, settled(answers, measured('shop-ready')))
      const [first] = kept.steadyStates
      return { statement: first?.statement, probe: first?.probe, around: kept.around }
    }
    expect(probeOf()).toMatchObject({ statement: 'It answers through Ingress/door', probe: { through }, around: [] })
    expect(probeOf('nobody serves it')).toEqual({
      statement: `It answers at ${drafts[0]?.target} itself`,
      probe: drafts[0]?.probe,
      around: ['requests go to Service/shop itself, not through Ingress/door: nobody serves it'],
    })
  })

  it('throws away a check that cannot fail, and says so', () => {
    const measurement = settled(measured('shop-answers'), measured('shop-ready', { controlFailed: false }))
    const hypothesis = frozen(measurement)
    expect(hypothesis.steadyStates.map((s) => s.id)).toEqual(['shop-answers'])
    expect(hypothesis.assumptions.join()).toContain('shop-ready is not part of the hypothesis: it did not fail')
  })

  it.each([
    [
      'what users see fails without a fault',
      'baseline-broken',
      settled(measured('shop-answers', { failed: 20 }), measured('shop-ready')),
    ],
    ['nothing ever came up', 'baseline-broken', { settled: false as const, cause: 'image pull', objects: [] }],
    [
      'no check can fail',
      'no-checks',
      settled(measured('shop-answers', { controlFailed: false }), measured('shop-ready', { controlFailed: false })),
    ],
    [
      'nothing was sampled',
      'no-checks',
      settled(measured('shop-answers', { samples: 0 }), measured('shop-ready', { samples: 0 })),
    ],
  ])('ends the cycle when %s', (_why, code, measurement) => {
    expect(() => frozen(measurement)).toThrow(expect.objectContaining({ code }) as Error)
  })

  it('never tests a fault that no check which can fail would feel', () => {
    const measurement = settled(measured('shop-answers'), measured('shop-ready'))
    expect(() => frozen(measurement, 'Deployment/worker')).toThrow(
      expect.objectContaining({ code: 'no-checks', message: expect.stringContaining('Deployment/worker') }) as Error,
    )
  })
})
