import { type SampleLine } from '@ordeal/prober'
import { type SteadyState, type Windows } from '@ordeal/shared'
import { samplesOf } from './read-samples.js'

const state = { id: 'front', probe: { kind: 'http', ratePerSecond: 10 } } as unknown as SteadyState
const windows: Windows = {
  pre: { from: 0, to: 1000 },
  fault: { from: 1000, to: 9000 },
  post: { from: 9000, to: 10_000 },
}
const line = (at: number, error: string | null = null): SampleLine => ({
  probe: 'front',
  at,
  ok: error === null,
  latencyMs: 1,
  value: 200,
  error,
})
const lines = (count: number) => Array.from({ length: count }, (_, i) => line(i * 100))

describe('samplesOf', () => {
  it('keeps the samples of the windows, failed ones included', () => {
    const all = [line(-100), ...lines(100), line(10_000)]
    all[50] = line(4900, 'status 503')
    const { front } = samplesOf(all, [state], windows)
    expect(front).toHaveLength(100)
    expect(front?.filter((s) => !s.ok)).toEqual([
      { at: 4900, ok: false, latencyMs: 1, value: 200, error: 'status 503' },
    ])
  })
  it('does not take the prober for a witness when it missed samples', () => {
    expect(() => samplesOf(lines(90), [state], windows)).toThrow(/90 of 99 samples of front/)
  })
})
