import { type Json } from './kubernetes-object.js'
import { matchesSelector } from './label-selector.js'

const labels = { app: 'shop', tier: 'web' }
const expression = (key: string, operator: string, ...values: string[]): Json => ({
  matchExpressions: [{ key, operator, values }],
})

describe('matchesSelector', () => {
  it.each<[Json | undefined, boolean]>([
    [{ matchLabels: { app: 'shop' } }, true],
    [{ matchLabels: { app: 'shop', tier: 'db' } }, false],
    [expression('app', 'In', 'shop', 'store'), true],
    [expression('app', 'In', 'store'), false],
    [expression('app', 'NotIn', 'shop'), false],
    [expression('zone', 'NotIn', 'a'), true],
    [expression('tier', 'Exists'), true],
    [expression('tier', 'DoesNotExist'), false],
    [expression('app', 'Like', 'shop'), false],
    [{}, true],
    [undefined, false],
  ])('%j: %s', (selector, expected) => {
    expect(matchesSelector(selector, labels)).toBe(expected)
  })
})
