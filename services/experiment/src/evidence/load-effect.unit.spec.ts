import { type SampleLine } from '@ordeal/prober'
import { loadEffect } from './load-effect.js'

/** Read at `at`, of `age` ms before. */
const figure = (at: number, value: number | null, age = 10_000): SampleLine => ({
  ...{ probe: 'p', at, ok: value !== null, latencyMs: null, value, error: null },
  ...(value === null ? {} : { takenAt: at - age }),
})
const FAULT = { injectedAt: 100_000, until: 130_000 }
const MIB = 2 ** 20

describe('loadEffect', () => {
  it('compares what is used during the fault with what is used before it', () => {
    const lines = [figure(90_000, 5), figure(95_000, 6), figure(120_000, 480), figure(125_000, 510)]
    expect(loadEffect('a', 'cpu', lines, FAULT)).toBe('a uses 510 millicores instead of 5 millicores')
  })
  it('takes a figure for what it is of, not for when it is read', () => {
    expect(loadEffect('a', 'cpu', [figure(90_000, 5), figure(105_000, 900)], FAULT)).toBeNull()
    expect(loadEffect('a', 'cpu', [figure(90_000, 5), figure(140_000, 900)], FAULT)).toMatch(/900 millicores/)
  })
  it.each([
    ['cpu', 400, 500],
    ['cpu', 5, 30],
    ['memory', 100 * MIB, 105 * MIB],
    ['memory', 10 * MIB, 17 * MIB],
  ] as const)('takes ups and downs of %s, from %d to %d, for what they are', (resource, was, is) => {
    expect(loadEffect('a', resource, [figure(90_000, was), figure(125_000, is)], FAULT)).toBeNull()
  })
  it('sees filled memory', () => {
    const lines = [figure(90_000, 10 * MIB), figure(125_000, 74 * MIB)]
    expect(loadEffect('a', 'memory', lines, FAULT)).toBe('a uses 74 MiB instead of 10 MiB')
  })
  it('knows nothing without figures', () => {
    expect(loadEffect('a', 'cpu', [figure(90_000, 5), figure(125_000, null)], FAULT)).toBeNull()
    expect(loadEffect('a', 'cpu', [figure(120_000, 480)], FAULT)).toBeNull()
  })
})
