import { DEFAULT_EXPECTATIONS, type Graph, type Route } from '@ordeal/shared'
import { sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { doorTo, pathOf } from './doors.js'
import { draftHypothesis } from './draft-hypothesis.js'

const route = (service: string, path: string, more: Partial<Route> = {}): Route => ({
  ingress: 'Ingress/door',
  host: 'shop.test',
  path,
  exact: false,
  service: `Service/${service}`,
  port: 8000,
  ...more,
})

const graph = (...routes: Route[]): Graph => ({
  application: 'mall',
  workloads: ['web', 'api'].map((name) => sampleWorkload(name)),
  services: ['web', 'api'].map((name) => sampleService(name)),
  edges: [],
  ...(routes.length > 0 && { routes: routes }),
  entryPoints: ['Service/web', 'Service/api'],
})

const drafted = (own: Graph) =>
  draftHypothesis(own, { maxSteadyStates: 12, expectations: DEFAULT_EXPECTATIONS }) satisfies object

describe('doors', () => {
  it('are asked for the path to which a rule leads, and other services directly', () => {
    const { steadyStates } = drafted(graph(route('api', '/api')))
    expect(steadyStates.flatMap(({ probe }) => (probe.kind === 'http' ? [probe] : []))).toMatchObject([
      { service: 'web', port: 80, path: '/' },
      {
        service: 'api',
        port: 8000,
        path: '/api',
        through: { ingress: 'Ingress/door', host: 'shop.test' },
      },
    ])
    expect(steadyStates[1]?.statement).toBe(
      'Whoever calls shop.test/api through Ingress/door gets a good answer within 2 s',
    )
  })

  it('lead to a service by its shortest path, and no further than their rules say', () => {
    const own = graph(route('web', '/shop/new'), route('web', '/shop'), route('api', '/shop/api'))
    expect(pathOf(own, 'Service/web')).toBe('/shop')
    const led = ['/shop', '/shop/x', '/shopping', '/', '/shop/api', '/shop/api/x'].map((path) =>
      Boolean(doorTo(own, 'Service/web', path)),
    )
    expect(led).toEqual([true, true, false, false, false, false])
    expect(doorTo(graph(route('web', '/a', { exact: true })), 'Service/web', '/a/b')).toBeNull()
  })

  it('give a wildcard a name, and none to every host', () => {
    const host = (of: string | null) => doorTo(graph(route('web', '/', { host: of })), 'Service/web', '/')?.through.host
    expect([host('*.shop.test'), host(null)]).toEqual(['any.shop.test', null])
  })

  it('that would tell nothing are passed, which is told', () => {
    const { steadyStates, assumptions } = drafted(graph(route('web', '/', { opaque: 'it is served over TLS' })))
    expect(steadyStates[0]?.probe).not.toHaveProperty('through')
    expect(assumptions).toContain('requests go to Service/web itself, not through Ingress/door: it is served over TLS')
  })
})
