import { type ClusterObject } from '@ordeal/kubernetes'
import { withOwnHosts } from './own-hosts.js'

const backend = (name: string): object => ({ service: { name, port: { number: 80 } } })
const path = (name: string, at = '/', pathType = 'Prefix'): object => ({ path: at, pathType, backend: backend(name) })
const mapped = (spec: object): ClusterObject['spec'] =>
  withOwnHosts({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'door' }, spec }, 'box').spec

describe('an Ingress in a sandbox', () => {
  it('has hosts of its own, wildcards, rules for every host and TLS among them', () => {
    const rules = [
      { host: 'a.test', http: { paths: [path('a')] } },
      { host: '*.b.test' },
      { http: { paths: [path('c')] } },
    ]
    expect(mapped({ ingressClassName: 'x', rules, tls: [{ hosts: ['a.test'], secretName: 's' }] })).toEqual({
      ingressClassName: 'x',
      rules: [
        { host: 'a.test.box.invalid', http: { paths: [path('a')] } },
        { host: '*.b.test.box.invalid' },
        { host: 'any.box.invalid', http: { paths: [path('c')] } },
      ],
      tls: [{ hosts: ['a.test.box.invalid'], secretName: 's' }],
    })
  })

  it('takes no request but its own with its default backend', () => {
    expect(mapped({ defaultBackend: backend('d') })).toEqual({
      rules: [{ host: 'any.box.invalid', http: { paths: [path('d')] } }],
    })
    const rules = [
      { host: 'a.test', http: { paths: [path('a', '/a')] } },
      { host: 'b.test', http: { paths: [path('b')] } },
    ]
    expect(mapped({ defaultBackend: backend('d'), rules })).toEqual({
      rules: [
        { host: 'a.test.box.invalid', http: { paths: [path('a', '/a'), path('d')] } },
        { host: 'b.test.box.invalid', http: { paths: [path('b')] } },
        { host: 'any.box.invalid', http: { paths: [path('d')] } },
      ],
    })
  })
})
