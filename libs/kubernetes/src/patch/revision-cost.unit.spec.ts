import fc from 'fast-check'
import { type KubernetesObject } from '../input/kubernetes-object.js'
import { parseQuantity } from '../input/quantity.js'
import { revisionCost } from './revision-cost.js'

const deployment = (
  replicas: number,
  resources: Record<string, Record<string, string | number>>,
): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas, template: { spec: { containers: [{ name: 'a', resources }] } } },
})

describe('revisionCost', () => {
  it('is what is asked for beyond the parent', () => {
    const before = [deployment(1, { requests: { cpu: '50m', memory: '32Mi' } })]
    const after = [deployment(3, { requests: { cpu: '100m' }, limits: { memory: '64Mi', cpu: 1 } })]
    expect(revisionCost(before, after)).toEqual({ replicas: 2, cpu: 0.25, memory: 160 * 2 ** 20 })
    expect(revisionCost(after, after)).toEqual({ replicas: 0, cpu: 0, memory: 0 })
  })
})

describe('parseQuantity', () => {
  it.each([
    ['250m', 0.25],
    [2, 2],
    ['0.5', 0.5],
    ['1Gi', 2 ** 30],
    ['1.5k', 1500],
    ['12e3', 12_000],
    ['1E', 1e18],
    ['100n', 1e-7],
  ])('reads %s as %s', (quantity, value) => {
    expect(parseQuantity(quantity)).toBeCloseTo(value, 12)
  })

  it.each(['', 'a', '1 Gi', '1gi', '1Mii', '--1'])("refuses '%s'", (quantity) => {
    expect(() => parseQuantity(quantity)).toThrow(/is not a quantity/)
  })

  it('reads every whole number of millis as its thousandth', () => {
    fc.assert(fc.property(fc.nat(), (n) => expect(parseQuantity(`${n}m`)).toBeCloseTo(n / 1000, 6)))
  })
})
