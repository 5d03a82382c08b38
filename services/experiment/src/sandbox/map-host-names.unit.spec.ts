import { type ClusterObject } from '@ordeal/kubernetes'
import { mapHostNames } from './map-host-names.js'

const service = (name: string): ClusterObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name } })
const config = (data: Record<string, string>): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'api.shop.svc', namespace: 'shop' },
  data,
})
const mapped = (value: string) => {
  const { objects, assumptions } = mapHostNames([service('api'), config({ value })], 'shop', 'box')
  return { value: (objects[1]?.['data'] as { value: string }).value, assumptions }
}

describe('mapHostNames', () => {
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
  it('does not touch what an object is called', () => {
    const { objects } = mapHostNames([config({})], 'shop', 'box')
    expect(objects[0]?.metadata).toEqual({ name: 'api.shop.svc', namespace: 'shop' })
  })
})
