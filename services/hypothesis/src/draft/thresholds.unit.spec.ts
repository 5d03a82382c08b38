import { DEFAULT_EXPECTATIONS, withPatch } from '@ordeal/shared'
import fc from 'fast-check'
import { stricter, thresholdOf } from './thresholds.js'

const floor = thresholdOf(DEFAULT_EXPECTATIONS)
const wanted = fc.record({
  minShare: fc.double({ min: 0, max: 1, noNaN: true }),
  maxOutageMs: fc.integer({ min: 0, max: 600_000 }),
  normalAfterMs: fc.integer({ min: 0, max: 600_000 }),
  maxLatencyMs: fc.option(fc.integer({ min: 1, max: 60_000 })),
})

describe('stricter', () => {
  it('takes the stricter of both, bound by bound', () => {
    expect(
      stricter(floor, { minShare: 0.97, maxOutageMs: 60_000, normalAfterMs: 4000 }, DEFAULT_EXPECTATIONS),
    ).toMatchObject({ fault: { minShare: 0.97, maxOutageMs: 5000 }, post: { normalAfterMs: 4000 } })
  })

  it('halves at most what is put up with, however often it is asked', () => {
    const harsh = { minShare: 1, maxOutageMs: 0, normalAfterMs: 0 }
    const once = stricter(floor, harsh, DEFAULT_EXPECTATIONS)
    expect(once).toMatchObject({ fault: { minShare: 0.975, maxOutageMs: 2500 }, post: { normalAfterMs: 2500 } })
    expect(stricter(once, harsh, DEFAULT_EXPECTATIONS)).toEqual(once)
  })

  it('leaves alone what the user asked for', () => {
    const asked = withPatch(DEFAULT_EXPECTATIONS, { tolerances: { minShare: null, maxOutageMs: null } }, [])
    const own = thresholdOf(asked)
    const harsh = stricter(own, { minShare: 0.99, maxOutageMs: 1000, normalAfterMs: 2000 }, asked)
    expect(harsh).toEqual({ ...own, post: { ...own.post, normalAfterMs: 2500 } })
  })

  it('never asks for less than before', () => {
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 4 }), (list) => {
        list.reduce((now, each) => {
          const next = stricter({ ...now, maxLatencyMs: now.maxLatencyMs ?? 500 }, each, DEFAULT_EXPECTATIONS)
          expect(next.fault.minShare).toBeGreaterThanOrEqual(now.fault.minShare)
          expect(next.fault.maxOutageMs).toBeLessThanOrEqual(now.fault.maxOutageMs)
          expect(next.post.normalAfterMs).toBeLessThanOrEqual(now.post.normalAfterMs)
          expect(next.maxLatencyMs).toBeLessThanOrEqual(now.maxLatencyMs ?? 500)
          return next
        }, floor)
      }),
    )
  })
})
