import { type ClusterObject } from '@ordeal/kubernetes'
import { mapNames } from './map-names.js'

const service = (name: string): ClusterObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name } })
const config = (data: Record<string, string>): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'api.shop.svc', namespace: 'shop' },
  data,
})
const mapped = (value: string) => {
  const { objects, assumptions } = mapNames([service('api'), config({ value })], new Set(['shop']), 'box')
  return { value: (objects[1]?.['data'] as { value: string }).value, assumptions }
}

describe('mapNames', () => {
  it.each([
    ['http://api.shop.svc.cluster.local:80/x', 'http://api.box.svc.cluster.local:80/x'],
    ['http://api.shop.svc/x?y=api.shop.svc', 'http://api.box.svc/x?y=api.box.svc'],
    ['api.shop:80,api.shop', 'api.box:80,api.box'],
    ['--db=later.shop.svc', '--db=later.box.svc'],
    ['http://api.shop.svc.', 'http://api.box.svc.'],
  ])('leads %s into the sandbox', (before, after) => {
    expect(mapped(before)).toEqual({
      value: after,
      assumptions: ['host names in namespace shop lead to the sandbox that takes its place'],
    })
  })
  it.each([
    'http://api/x',
    'other.shop',
    'api.shop.example.org',
    'my-api.shop',
    'x.api.shop',
    'api.shops',
    'api.shop.js',
  ])('leaves %s alone', (text) => expect(mapped(text)).toEqual({ value: text, assumptions: [] }))
  it('names what lies in other namespaces', () => {
    const { value, assumptions } = mapped('redis.cache.svc:6379')
    expect(value).toBe('redis.cache.svc:6379')
    expect(assumptions.join()).toMatch(/redis\.cache\.svc: outside of the sandbox/)
  })
  it('leads names of several namespaces into the one sandbox, and says that they stand together', () => {
    const text = config({ value: 'http://api.shop.svc http://db.data.svc:5432' })
    const { objects, assumptions } = mapNames([text], new Set(['shop', 'data']), 'box')
    expect(objects[0]?.data).toEqual({ value: 'http://api.box.svc http://db.box.svc:5432' })
    expect(assumptions).toEqual([
      'objects of the namespaces data, shop stand together in one sandbox',
      'host names in namespaces data, shop lead to the sandbox that takes their place',
    ])
  })
  it('leads references to a namespace into the sandbox, and leaves those to others', () => {
    const binding = {
      ...config({}),
      subjects: [
        { kind: 'ServiceAccount', name: 'a', namespace: 'shop' },
        { kind: 'ServiceAccount', name: 'b', namespace: 'kube-system' },
      ],
      peers: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } },
        { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop', 'other'] }] },
      ],
      data: { shop: 'shop' },
    }
    const { objects, assumptions } = mapNames([binding], new Set(['shop']), 'box')
    expect(objects[0]).toMatchObject({
      subjects: [{ namespace: 'box' }, { namespace: 'kube-system' }],
      peers: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'box' } } },
        { matchExpressions: [{ values: ['box', 'other'] }] },
      ],
      data: { shop: 'shop' },
    })
    expect(assumptions).toEqual(['references to shop name the sandbox instead'])
  })
  it('does not touch what an object is called', () => {
    const { objects } = mapNames([config({})], new Set(['shop']), 'box')
    expect(objects[0]?.metadata).toEqual({ name: 'api.shop.svc', namespace: 'shop' })
  })
})
