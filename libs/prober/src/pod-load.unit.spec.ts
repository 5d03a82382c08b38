import { loadOf } from './pod-load.js'

const timestamp = '2026-11-30T12:00:00Z'
const metricsOf = (...usages: object[]) => ({
  metadata: { name: 'front' },
  timestamp,
  containers: usages.map((usage) => ({ name: 'c', usage })),
})

describe('loadOf', () => {
  it.each([
    ['cpu', '1', 1000],
    ['cpu', '250m', 250],
    ['cpu', '1500u', 1.5],
    ['cpu', '12345678n', 12.345678],
    ['memory', '64Ki', 65_536],
    ['memory', '1.5Mi', 1_572_864],
    ['memory', '1k', 1000],
    ['memory', '42', 42],
  ] as const)('reads %s %s as %d', (resource, text, value) => {
    const load = loadOf([metricsOf({ [resource]: text })], 'front', resource)
    expect(load?.value).toBeCloseTo(value, 6)
    expect(load?.takenAt).toBe(Date.parse(timestamp))
  })

  it('adds up the containers of the pod that is meant', () => {
    const other = { ...metricsOf({ cpu: '9' }), metadata: { name: 'back' } }
    expect(loadOf([other, metricsOf({ cpu: '100m' }, { cpu: '200m' })], 'front', 'cpu')?.value).toBeCloseTo(300)
  })

  it.each([
    [[]],
    [[metricsOf()]],
    [[metricsOf({ memory: '1Mi' })]],
    [[metricsOf({ cpu: 'much' })]],
    [[{ ...metricsOf({ cpu: '1' }), timestamp: undefined }]],
  ])('knows nothing from %j', (objects) => expect(loadOf(objects, 'front', 'cpu')).toBeNull())
})
