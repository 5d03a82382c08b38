import { fileURLToPath } from 'node:url'
import { type Graph } from '@ordeal/shared'
import { buildGraph } from '../graph/build-graph.js'
import { nameOf } from '../input/kubernetes-object.js'
import { readBundle } from '../input/read-bundle.js'
import { readProject } from '../input/read-project.js'
import { findWeaknesses } from './find-weaknesses.js'

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))

async function inspect(path: string, subpath: string | null): Promise<{ graph: Graph; alarms: string[] }> {
  const options = { subpath, profile: null, values: [], application: path.split('/')[1] ?? null }
  const project = await readProject(await readBundle(FIXTURES + path), options)
  const graph = buildGraph(project)
  const findings = findWeaknesses(project, graph).filter((f) => f.severity !== 'note')
  return { graph, alarms: findings.map((f) => `${f.severity} ${f.rule.slice(0, 6)} ${f.object}`) }
}

const calls = ({ edges }: Graph): string[] => edges.map((e) => `${nameOf(e.from)} ${nameOf(e.to)}`).sort()
const doors = ({ entryPoints }: Graph): string[] => entryPoints.map(nameOf)

describe('a well-kept application', () => {
  it.each([
    ['microservices', null, 'gateway', 4],
    ['stateful-db', null, 'ledger', 1],
    ['ingress-hpa', null, 'quotes', 0],
    ['batch', null, 'reports', 0],
    ['node-agent', null, 'collector', 1],
    ['mesh', null, 'search', 0],
    ['kustomize', 'overlays/prod', 'site-prod', 1],
    ['helm', null, 'weather-weather', 0],
  ])('raises no alarm: %s', async (name, subpath, door, edges) => {
    const { graph, alarms } = await inspect(`well-kept/${name}`, subpath)
    expect(alarms).toEqual([])
    expect(doors(graph)).toEqual([door])
    expect(graph.edges).toHaveLength(edges)
  })
})

/** Shapes that the demonstrations of the field have: they work, so nothing in them is an error. */
describe('an application of the field', () => {
  const ofField = async (name: string): Promise<Graph> => {
    const { graph, alarms } = await inspect(`field/${name}`, null)
    expect(alarms.filter((a) => a.startsWith('error'))).toEqual([])
    return graph
  }

  it('whose hosts stand in its images’ code', async () => {
    const guestbook = await ofField('guestbook')
    expect(doors(guestbook)).toEqual(['frontend'])
    expect(calls(guestbook)).toEqual([
      'frontend redis-follower',
      'frontend redis-leader',
      'redis-follower redis-leader',
    ])
    const voting = await ofField('voting')
    expect(doors(voting)).toEqual(['vote', 'result'])
    expect(calls(voting)).toEqual(['result db', 'vote redis', 'worker db', 'worker redis'])
  })

  it('of which only names tell who calls whom', async () => {
    const shop = await ofField('sock-shop')
    expect(doors(shop)).toEqual(['front-end'])
    expect(calls(shop)).toEqual(['carts carts-db', 'catalogue catalogue-db', 'orders orders-db', 'user user-db'])
  })

  it('in a Skaffold project, whose addresses are settings', async () => {
    const boutique = await ofField('boutique')
    expect(doors(boutique)).toEqual(['frontend-external'])
    expect(calls(boutique)).toHaveLength(13)
  })

  it('in a Kustomization, with a headless database', async () => {
    const blog = await ofField('wordpress')
    expect(doors(blog)).toEqual(['wordpress'])
    expect(calls(blog)).toEqual(['wordpress wordpress-mysql'])
    expect(blog.workloads.map((w) => w.stateful)).toEqual([true, true])
  })

  it('with brokers that find each other by their names', async () => {
    const kafka = await ofField('kafka')
    expect(doors(kafka)).toEqual(['orders'])
    expect(calls(kafka)).toEqual(['kafka zookeeper', 'kafka-ui kafka', 'orders kafka'])
  })
})
