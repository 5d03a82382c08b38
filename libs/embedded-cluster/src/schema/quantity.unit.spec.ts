import fc from 'fast-check'
import { canonicalQuantity, isQuantity, parseQuantity } from './quantity.js'

it.each([
  ['100m', 0.1],
  ['1', 1],
  [2, 2],
  ['0.5', 0.5],
  ['.5', 0.5],
  ['1.', 1],
  ['64Mi', 64 * 1024 * 1024],
  ['1Gi', 1024 ** 3],
  ['1k', 1_000],
  ['1M', 1_000_000],
  ['1e3', 1_000],
  ['1E3', 1_000],
  ['-1', -1],
  ['250u', 0.00025],
])('%j is %d', (text, value) => {
  expect(isQuantity(text)).toBe(true)
  expect(parseQuantity(text)).toBe(value)
})

it.each(['', 'm', '1KiB', '1 Gi', 'one', '1e', '--1', 'Infinity', Number.NaN, null, {}, '1e9999'])(
  '%j is no quantity',
  (value) => {
    expect(isQuantity(value)).toBe(false)
  },
)

it.each([
  [1, '1'],
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['.25', '250m'],
  ['2000k', '2M'],
  ['1024Mi', '1Gi'],
  ['64Mi', '64Mi'],
  ['0', '0'],
  ['-1000m', '-1'],
  ['-.5', '-500m'],
  ['1e3', '1e3'],
  ['1.5Gi', '1.5Gi'],
  ['1.0000000001', '1.0000000001'],
])('%j is stored as %s', (text, stored) => {
  expect(canonicalQuantity(text)).toBe(stored)
})

it('keeps the amount when it is stored', () => {
  const unit = fc.constantFrom('', 'm', 'u', 'n', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi')
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), unit, (number, suffix) => {
      const text = `${number}${suffix}`
      expect(parseQuantity(canonicalQuantity(text))).toBeCloseTo(parseQuantity(text), 9)
    }),
  )
})
