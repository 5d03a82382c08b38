import { type Graph, type SteadyStateDraft } from '@ordeal/shared'
import { groupByTarget, inRounds, type ControlTarget } from './group-targets.js'

const graph = {
  services: [
    { id: 'Service/front', workloads: ['Deployment/front'] },
    { id: 'Service/elsewhere', workloads: [] },
  ],
} as unknown as Graph
const state = (id: string, target: string) => ({ id, target }) as SteadyStateDraft

describe('groupByTarget', () => {
  it('breaks a workload once for the checks of its service and its own', () => {
    const states = [
      state('front-answers', 'Service/front'),
      state('back-ready', 'Deployment/back'),
      state('front-ready', 'Deployment/front'),
    ]
    expect(groupByTarget(states, graph).map((g) => [g.workloads, g.service, g.states.map((s) => s.id)])).toEqual([
      [['Deployment/front'], 'Service/front', ['front-answers', 'front-ready']],
      [['Deployment/back'], null, ['back-ready']],
    ])
  })
  it('keeps the service of checks behind which no workload is known', () => {
    expect(groupByTarget([state('x', 'Service/elsewhere')], graph)).toMatchObject([
      { workloads: [], service: 'Service/elsewhere' },
    ])
  })
})

describe('inRounds', () => {
  const target = (name: string, service: string | null, kind: 'http' | 'k8s'): ControlTarget => ({
    workloads: [name],
    service,
    states: [{ id: name, probe: { kind } } as SteadyStateDraft],
  })
  it('breaks what is called alone, and all that is only counted at once', () => {
    const [front, a, api, b] = [
      target('front', 'Service/front', 'http'),
      target('a', null, 'k8s'),
      target('api', 'Service/api', 'http'),
      target('b', null, 'k8s'),
    ]
    expect(inRounds([front, a, api, b])).toEqual([[front], [api], [a, b]])
    expect(inRounds([front])).toEqual([[front]])
  })
})
