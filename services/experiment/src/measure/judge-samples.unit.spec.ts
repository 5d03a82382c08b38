import { type SampleLine } from '@ordeal/prober'
import { type Threshold } from '@ordeal/shared'
import { baselineOf, failsOn, within } from './judge-samples.js'

const sample = (at: number, ok = true, latencyMs: number | null = 5): SampleLine => ({
  probe: 'front',
  at,
  ok,
  latencyMs: ok ? latencyMs : null,
  value: null,
  error: ok ? null : 'no',
})
const threshold = (maxLatencyMs: number | null = null): { threshold: Threshold } => ({
  threshold: { maxLatencyMs, fault: { minShare: 0.95, maxOutageMs: 5000 }, post: { normalAfterMs: 0, minShare: 1 } },
})

describe('baselineOf', () => {
  it('counts failures and takes quantiles of the good answers', () => {
    const samples = [...Array.from({ length: 100 }, (_, i) => sample(i, true, i + 1)), sample(200, false)]
    expect(baselineOf(samples)).toEqual({ samples: 101, failed: 1, latencyMs: { p50: 50, p99: 99 } })
  })
  it('has no latency where none was measured', () => {
    expect(baselineOf([sample(0, true, null)])).toEqual({ samples: 1, failed: 0, latencyMs: null })
  })
})

describe('failsOn', () => {
  it('fails when fewer are good than a fault window allows', () => {
    expect(failsOn([sample(0, false), ...Array.from({ length: 9 }, (_, i) => sample(i))], threshold())).toBe(true)
    expect(
      failsOn(
        Array.from({ length: 10 }, (_, i) => sample(i)),
        threshold(),
      ),
    ).toBe(false)
  })
  it('takes a slow answer for a failed one where the check does', () => {
    expect(failsOn([sample(0, true, 50)], threshold(20))).toBe(true)
    expect(failsOn([sample(0, true, 50)], threshold())).toBe(false)
  })
  it('proves nothing without samples', () => expect(failsOn([], threshold())).toBe(false))
})

describe('within', () => {
  it('takes the start and leaves the end', () => {
    const all = [sample(0), sample(10), sample(20), { ...sample(10), probe: 'other' }]
    expect(within(all, 'front', 0, 20).map((s) => s.at)).toEqual([0, 10])
  })
})
