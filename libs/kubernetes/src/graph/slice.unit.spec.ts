import { nameOf } from '../input/kubernetes-object.js'
import { readPlainProject } from '../input/read-project.js'
import { buildGraph } from './build-graph.js'
import { graphAround, type Slice, sliceAround } from './slice.js'

const workload = (name: string, calls: readonly string[] = [], more = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      ${more}
      containers:
        - {name: main, image: "x:1", env: [{name: URLS, value: "${calls.map((c) => `http://${c}`).join(',')}"}]}
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: ${name}}, ports: [{port: 80}]}
`
const object = (apiVersion: string, kind: string, name: string, rest: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n${rest}\n`

/** front → shop → stock → db, and front → news; each with things of its own. */
const APP = [
  workload('front', ['shop', 'news']),
  workload('shop', ['stock'], 'volumes: [{name: v, configMap: {name: shop-settings}}]'),
  workload('stock', ['db']),
  workload('db'),
  workload('news'),
  object('v1', 'ConfigMap', 'shop-settings', 'data: {a: b}'),
  object('v1', 'ConfigMap', 'other', 'data: {a: b}'),
  object('policy/v1', 'PodDisruptionBudget', 'shop', 'spec: {selector: {matchLabels: {app: shop}}}'),
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'news', 'spec: {scaleTargetRef: {kind: Deployment, name: news}}'),
  object(
    'networking.k8s.io/v1',
    'Ingress',
    'door',
    'spec: {defaultBackend: {service: {name: front, port: {number: 80}}}}',
  ),
].join('---\n')

function slice(...about: string[]): Slice {
  const project = readPlainProject(
    { files: [{ path: 'app.yaml', content: APP }] },
    { subpath: null, profile: null, values: [] },
  )
  return sliceAround(
    buildGraph(project),
    project.objects.map((o) => o.object),
    about,
  )
}
const names = (ids: readonly { id: string }[]): string[] => ids.map(({ id }) => nameOf(id)).sort()
const ids = ({ objects }: Slice): string[] => objects.map((o) => `${o.kind}/${o.metadata.name}`).sort()

describe('a slice', () => {
  it('is the same of the graph alone', () => {
    const whole = readPlainProject(
      { files: [{ path: 'app.yaml', content: APP }] },
      { subpath: null, profile: null, values: [] },
    )
    for (const id of ['Deployment/shop', 'Service/stock', 'Deployment/db']) {
      const { workloads, services, edges } = slice(id).graph
      expect(graphAround(buildGraph(whole), [id])).toMatchObject({ workloads, services, edges })
    }
    expect(graphAround(buildGraph(whole), ['Deployment/absent']).workloads).toEqual([])
  })

  it('holds the object with what belongs to it, what it calls, and the way from the users', () => {
    const found = slice('Deployment/shop')
    expect(names(found.graph.workloads)).toEqual(['front', 'shop', 'stock'])
    expect(found.graph.entryPoints).toEqual(['Service/front'])
    expect(found.graph.edges.map((e) => `${nameOf(e.from)} ${nameOf(e.to)}`)).toEqual(['front shop', 'shop stock'])
    expect(ids(found)).toEqual([
      'ConfigMap/shop-settings',
      'Deployment/shop',
      'PodDisruptionBudget/shop',
      'Service/shop',
    ])
    expect(found.links.some((l) => l.from === 'Ingress/door')).toBe(true)
  })

  it('is about the workloads behind a service, and those that read a setting', () => {
    expect(ids(slice('Service/stock'))).toEqual(['Deployment/stock', 'Service/stock'])
    expect(names(slice('ConfigMap/shop-settings').graph.workloads)).toEqual(['front', 'shop', 'stock'])
  })

  it('joins what is asked about together', () => {
    expect(names(slice('Deployment/db', 'Deployment/news').graph.workloads)).toEqual([
      ...['db', 'front', 'news', 'shop', 'stock'],
    ])
  })

  it('of nothing that is there is empty', () => {
    expect(slice('Deployment/ghost')).toMatchObject({ graph: { workloads: [], services: [] }, objects: [], links: [] })
  })
})
