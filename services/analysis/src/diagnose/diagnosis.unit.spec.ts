import { type Graph } from '@ordeal/shared'
import { sampleCall, sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { diagnostician } from './diagnosis.agent.js'
import { pathsToUsers } from './paths.js'

const graph: Graph = {
  application: 'mall',
  workloads: [sampleWorkload('gate'), sampleWorkload('store', { replicas: 1 })],
  services: [sampleService('gate'), sampleService('store')],
  edges: [sampleCall('gate', 'store')],
  entryPoints: ['Service/gate'],
}

describe('pathsToUsers', () => {
  it('leads from the cause to the entry point', () => {
    expect(pathsToUsers(graph, 'Deployment/store')).toEqual([
      ['Deployment/store', 'Service/store', 'Deployment/gate', 'Service/gate'],
    ])
  })

  it('ends in a circle of calls', () => {
    const circle = {
      ...graph,
      edges: [...graph.edges, { ...graph.edges[0]!, from: 'Deployment/store', to: 'Service/gate' }],
    }
    expect(pathsToUsers(circle, 'Deployment/gate')).toEqual([['Deployment/gate', 'Service/gate']])
  })
})

describe('the diagnosis', () => {
  const hit = (component: string) => ({
    kind: 'PodChaos',
    action: 'pod-kill',
    target: { component, selector: {}, mode: 'one' as const, count: null },
  })
  const input = {
    revision: 0,
    graph,
    steadyStates: [{ id: 'gate-answers', target: 'Service/gate', weight: 3 as const }],
    faults: [hit('Deployment/gate'), hit('Deployment/store')],
    failed: [
      {
        steadyState: 'gate-answers',
        window: 'fault' as const,
        outcome: 'failed' as const,
        samples: 600,
        failed: 150,
        worst: 'longest outage 15 s',
        recoveredAfterMs: null,
      },
    ],
    injections: [],
  }

  it('names the weakest of what was hit, not where the symptom shows', () => {
    const answer = diagnostician.expert(input)
    expect(answer.component).toBe('Deployment/store')
    expect(answer.path.at(-1)).toBe('Service/gate')
    expect(answer.cause).toContain('single pod')
    expect(diagnostician.check(answer, input)).toEqual([])
  })

  it('is refused when it names what is not there', () => {
    expect(diagnostician.check({ ...diagnostician.expert(input), component: 'Deployment/ghost' }, input)).toHaveLength(
      1,
    )
  })

  it('keeps in mind what the rules blame when a model blames another', () => {
    const floor = diagnostician.expert(input)
    const said = { cause: 'The gate is to blame.', evidence: [] }
    const another = diagnostician.combine({ ...said, component: 'Deployment/gate' }, floor, input)
    expect(another).toMatchObject({ component: 'Deployment/gate', byRules: 'Deployment/store' })
    expect(diagnostician.combine({ ...said, component: 'Deployment/store' }, floor, input)).not.toHaveProperty(
      'byRules',
    )
  })
})
