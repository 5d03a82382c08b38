import { type Ingress, routeRequest } from './route-request.js'

type Rule = readonly [host: string | null, pathType: string, path: string, service: string]

function ingress(name: string, rules: readonly Rule[], other?: string): Ingress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '' },
    spec: {
      ...(other ? { defaultBackend: { service: { name: other } } } : {}),
      rules: rules.map(([host, pathType, path, service]) => ({
        ...(host === null ? {} : { host }),
        http: { paths: [{ path, pathType, backend: { service: { name: service } } }] },
      })),
    },
  }
}

const ask = (ingresses: readonly Ingress[], url: string): string | null => {
  const { host, pathname } = new URL(url)
  return routeRequest(ingresses, host, pathname)?.backend.service?.name ?? null
}

describe('routeRequest', () => {
  // The table of https://kubernetes.io/docs/concepts/services-networking/ingress/#examples
  it.each([
    ['Prefix', '/', '/any/thing', true],
    ['Exact', '/foo', '/foo', true],
    ['Exact', '/foo', '/bar', false],
    ['Exact', '/foo', '/foo/', false],
    ['Exact', '/foo/', '/foo', false],
    ['Prefix', '/foo', '/foo', true],
    ['Prefix', '/foo', '/foo/', true],
    ['Prefix', '/foo/', '/foo', true],
    ['Prefix', '/foo/', '/foo/', true],
    ['Prefix', '/aaa/bb', '/aaa/bbb', false],
    ['Prefix', '/aaa/bbb', '/aaa/bbb', true],
    ['Prefix', '/aaa/bbb/', '/aaa/bbb', true],
    ['Prefix', '/aaa/bbb', '/aaa/bbb/', true],
    ['Prefix', '/aaa/bbb', '/aaa/bbb/ccc', true],
    ['Prefix', '/aaa/bbb', '/aaa/bbbxyz', false],
    ['ImplementationSpecific', '/foo', '/foo/bar', true],
  ])('%s %s: does %s match?', (pathType, path, asked, matches) => {
    expect(ask([ingress('a', [[null, pathType, path, 'web']])], `http://any${asked}`)).toBe(matches ? 'web' : null)
  })

  it('prefers the longest path, and of equal ones the exact', () => {
    const one = ingress('a', [
      [null, 'Prefix', '/', 'root'],
      [null, 'Prefix', '/api', 'api'],
      [null, 'Exact', '/api', 'exact'],
    ])
    expect(['/', '/api', '/api/x', '/apix'].map((path) => ask([one], `http://any${path}`))).toEqual([
      ...['root', 'exact', 'api', 'root'],
    ])
  })

  it('lets the most specific host decide, whatever the others would do with the path', () => {
    const one = ingress('a', [
      ['shop.example.com', 'Prefix', '/shop', 'shop'],
      ['*.example.com', 'Prefix', '/', 'wild'],
      [null, 'Prefix', '/', 'any'],
    ])
    const asked = ['shop.example.com/shop', 'shop.example.com/', 'x.example.com/', 'a.b.example.com/', 'example.com/']
    expect(asked.map((url) => ask([one], `http://${url}`))).toEqual(['shop', null, 'wild', 'any', 'any'])
  })

  it('sends the rest to the default backend of the host, else to that of an Ingress without rules', () => {
    const both = [ingress('a', [['shop.test', 'Prefix', '/x', 'shop']], 'own'), ingress('b', [], 'all')]
    const asked = ['shop.test/x', 'shop.test/y', 'other.test/']
    expect(asked.map((url) => ask(both, `http://${url}`))).toEqual(['shop', 'own', 'all'])
    expect(ask(both.slice(0, 1), 'http://other.test/')).toBeNull()
  })

  it('lets the oldest of several Ingresses win', () => {
    const two = ['first', 'second'].map((name) => ingress(name, [['a.test', 'Prefix', '/', name]]))
    expect(ask(two, 'http://a.test/')).toBe('first')
  })
})
