import { type Sample } from '@ordeal/shared'
import fc from 'fast-check'
import { COLUMNS, columnsOf, failuresOf, lensOf } from './density.js'
import { improved } from './fixtures.spec.js'

const span = { from: 0, to: 100_000 }
const sample = (at: number, ok: boolean, latencyMs: number | null = 5): Sample => ({
  at,
  ok,
  latencyMs,
  value: null,
  error: null,
})
const every = (ms: number, ok: (at: number) => boolean): Sample[] =>
  Array.from({ length: Math.floor(span.to / ms) }, (_, i) => sample(i * ms, ok(i * ms)))
const lens = lensOf(undefined)

describe('columnsOf', () => {
  it('shows every failure, however many samples there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(), (count, pick) => {
        const samples = Array.from({ length: count }, (_, i) => sample((span.to * i) / count, i !== pick % count))
        return columnsOf(samples, span, lens).some((column) => column.failed > 0)
      }),
    )
  })

  it('shows the slowest answer of a column', () => {
    const samples = every(10, () => true).map((each, i) => (i === 4321 ? { ...each, latencyMs: 777 } : each))
    expect(Math.max(...columnsOf(samples, span, lens).map((column) => column.worst ?? 0))).toBe(777)
  })

  it('draws a slow probe as a line and a hole in the samples as a hole', () => {
    const samples = every(1000, () => true).filter(({ at }) => at < 40_000 || at >= 60_000)
    const empty = columnsOf(samples, span, lens).flatMap(({ total }, i) => (total === 0 ? [i / COLUMNS] : []))
    expect(empty.length).toBeGreaterThan(0)
    expect(Math.min(...empty)).toBeGreaterThan(0.39)
    expect(Math.max(...empty)).toBeLessThan(0.6)
  })

  it('leaves out what is not of the run, and takes a sample at its very end', () => {
    const columns = columnsOf([sample(-1, false), sample(span.to, false), sample(span.to + 1, false)], span, lens)
    expect(columns.reduce((sum, { failed }) => sum + failed, 0)).toBe(1)
    expect(columns.at(-1)?.failed).toBe(1)
  })

  it('counts an answer over the limit as failed', () => {
    const state = improved().results.hypothesis?.steadyStates[0]
    expect(lensOf(state).failed(sample(0, true, 1001))).toBe(true)
    expect(lensOf(state).failed(sample(0, true, 1000))).toBe(false)
  })
})

describe('failuresOf', () => {
  it('ends a failure at the next good sample, and leaves one open that never ends', () => {
    const samples = every(1000, (at) => !(at >= 10_000 && at < 13_000) && at < 90_000)
    expect(failuresOf(samples, span, lens)).toEqual([
      { from: 10_000, to: 13_000, samples: 3 },
      { from: 90_000, to: null, samples: 10 },
    ])
  })

  it('finds none without samples', () => {
    expect(failuresOf([], span, lens)).toEqual([])
  })
})
