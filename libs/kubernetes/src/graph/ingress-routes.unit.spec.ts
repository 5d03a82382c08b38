import { parseAllDocuments } from 'yaml'
import { type KubernetesObject } from '../input/kubernetes-object.js'
import { graphOfObjects } from './revised-graph.js'

const SHOP = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{name: metrics, port: 9090}, {name: http, port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}
---
`
const ingress = (spec: string, annotations = '{}'): string =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: door, annotations: ${annotations}}\nspec: ${spec}`
const rule = (more: string, port = '{name: http}'): string =>
  `{rules: [{host: a.test, http: {paths: [{${more}, backend: {service: {name: web, port: ${port}}}}]}}]}`

const routes = (text: string) =>
  graphOfObjects(
    'shop',
    parseAllDocuments(SHOP + text).map((d) => d.toJS() as KubernetesObject),
  ).routes

describe('ingressRoutes', () => {
  it('finds what leads to a service, with the port that a name means', () => {
    expect(routes(ingress(rule('path: /shop, pathType: Prefix')))).toEqual([
      { ingress: 'Ingress/door', host: 'a.test', path: '/shop', exact: false, service: 'Service/web', port: 80 },
    ])
    expect(routes(ingress(rule('path: /, pathType: Exact', '{number: 9090}')))?.[0]).toMatchObject({
      exact: true,
      port: 9090,
    })
  })

  it('takes a default backend for a rule of every host', () => {
    const spec = '{defaultBackend: {service: {name: web, port: {number: 80}}}}'
    expect(routes(ingress(spec))).toMatchObject([{ host: null, path: '/', port: 80 }])
  })

  it('knows nothing of services that are not in the input, and of other kinds', () => {
    expect(routes(ingress('{defaultBackend: {service: {name: other, port: {number: 80}}}}'))).toBeUndefined()
    const old = ingress(rule('path: /, pathType: Prefix')).replace('/v1\n', '/v1beta1\n')
    expect(routes(old)).toBeUndefined()
  })

  it.each([
    ['TLS', ingress(`{tls: [{hosts: [a.test]}], ${rule('path: /, pathType: Prefix').slice(1)}`), /TLS/],
    [
      'a rewriting annotation',
      ingress(rule('path: /, pathType: Prefix'), '{x.io/rewrite-target: /}'),
      /rewrite-target/,
    ],
    ['a pattern', ingress(rule('path: /a(/|$)(.*), pathType: ImplementationSpecific')), /pattern/],
    ['a port that is not there', ingress(rule('path: /, pathType: Prefix', '{number: 81}')), /port/],
  ])('says why nothing is to be learnt through %s', (_, text, why) => {
    expect(routes(text)?.[0]?.opaque).toMatch(why)
  })

  it('sees through TLS for other hosts and annotations for others', () => {
    const spec = `{tls: [{hosts: [b.test]}], ${rule('path: /, pathType: Prefix').slice(1)}`
    expect(routes(ingress(spec, '{team: a}'))?.[0]?.opaque).toBeUndefined()
  })
})
