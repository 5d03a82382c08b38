import { isQuantity, parseQuantity } from './quantity.js'

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
