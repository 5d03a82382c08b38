import { DEFAULT_EXPECTATIONS, type Graph, type Scenario, type Workload } from '@ordeal/shared'
import { sampleCall, sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { draftHypothesis, type HypothesisDraft } from './draft-hypothesis.js'
import { reachOf } from './reach.js'
import { rankTargets, requireTargets } from './rank-targets.js'
import { scenarioChooser } from './scenario.js'
import { steadyStateDrafter } from './steady-states.js'

/** gate → shop → store; a lonely worker that no user reaches. */
const graph = (more: Partial<Record<'gate' | 'shop' | 'store' | 'worker', Partial<Workload>>> = {}): Graph => ({
  application: 'mall',
  workloads: (['gate', 'shop', 'store', 'worker'] as const).map((n) => sampleWorkload(n, more[n])),
  services: ['gate', 'shop', 'store'].map((n) => sampleService(n)),
  edges: [sampleCall('gate', 'shop'), sampleCall('shop', 'store')],
  entryPoints: ['Service/gate'],
})

const expectations = DEFAULT_EXPECTATIONS
const { failureModel } = expectations
const drafted = (own: Graph, maxSteadyStates: number): HypothesisDraft =>
  draftHypothesis(own, { maxSteadyStates, expectations })
const scenarioInput = (own: Graph) => ({ graph: own, expectations, felt: [] })
const chosen = (own: Graph): Scenario => scenarioChooser.expert(scenarioInput(own))

describe('reachOf', () => {
  it('counts calls from the user and leaves out what no request reaches, also in a circle', () => {
    const circle = graph()
    circle.edges.push(sampleCall('store', 'gate'))
    expect([...reachOf(circle)]).toEqual([
      ['Deployment/gate', 0],
      ['Deployment/shop', 1],
      ['Deployment/store', 2],
    ])
  })
})

describe('steady states', () => {
  it('begin with what a user sees, then components from the user inwards', () => {
    const { steadyStates } = drafted(graph(), 12)
    expect(steadyStates.map((s) => [s.id, s.weight])).toEqual([
      ['gate-answers', 3],
      ['gate-ready', 1],
      ['shop-ready', 1],
      ['store-ready', 1],
      ['worker-ready', 1],
    ])
  })

  it('keep the user-seen ones when there may only be a few', () => {
    expect(drafted(graph(), 1).steadyStates.map((s) => s.id)).toEqual(['gate-answers'])
  })

  it('keep those that feel the leading fault, however few there may be', () => {
    const doors = { ...graph(), entryPoints: ['Service/gate', 'Service/shop', 'Service/store'], edges: [] }
    for (const weak of ['gate', 'shop', 'store', 'worker'] as const) {
      const own = { ...doors, workloads: graph({ [weak]: { managed: false } }).workloads }
      const ready = weak === 'worker' ? `${weak}-ready` : `${weak}-answers`
      expect(rankTargets(own, failureModel)[0]?.workload.id).toBe(`Deployment/${weak}`)
      expect(drafted(own, 1).steadyStates.map((s) => s.id)).toEqual([ready])
      const all = drafted(own, 12).steadyStates
      expect(all.map((s) => s.id)).toEqual(drafted(doors, 12).steadyStates.map((s) => s.id))
    }
  })

  it.each(['UDP', 'SCTP'] as const)('do not ask a port of %s for HTTP', (protocol) => {
    const ports = [{ port: 80, targetPort: 80, protocol }]
    const own = { ...graph(), services: [{ ...sampleService('gate'), ports }] }
    expect(drafted(own, 12).steadyStates.map((s) => s.id)).not.toContain('gate-answers')
  })

  it.each([
    [[9100, 8080], 8080],
    [[443, 80], 80],
    [[3000, 80], 80],
    [[9100], 9100],
  ])('of the ports %j ask what users ask: %i', (numbers, expected) => {
    const ports = numbers.map((port) => ({ port, targetPort: port }))
    const own = { ...graph(), services: [{ ...sampleService('gate'), ports }] }
    expect(drafted(own, 1).steadyStates[0]?.probe).toMatchObject({ port: expected })
  })

  it('do not ask a database for HTTP', () => {
    const own = { ...graph(), services: [sampleService('gate', 5432)] }
    expect(drafted(own, 12).steadyStates.map((s) => s.id)).not.toContain('gate-answers')
  })

  it('leave out what is scaled to nothing', () => {
    const ids = drafted(graph({ worker: { replicas: 0 } }), 12).steadyStates.map((s) => s.id)
    expect(ids).not.toContain('worker-ready')
  })

  it('are refused when they name what is not there', () => {
    const input = { graph: graph(), expectations, guessed: [], maxSteadyStates: 12 }
    const { steadyStates } = steadyStateDrafter.expert(input)
    const invented = steadyStates.map((s) => ({ ...s, target: 'Service/invented' }))
    const problems = steadyStateDrafter.check({ steadyStates: invented }, input)
    expect(problems.filter((p) => p.includes('no object Service/invented'))).toHaveLength(steadyStates.length)
    expect(problems).toContainEqual(expect.stringContaining('no steady state can feel what happens to'))
    expect(steadyStateDrafter.check({ steadyStates }, input)).toEqual([])
  })
})

describe('the scenario', () => {
  const target = (g: Graph): string | undefined => rankTargets(g, failureModel)[0]?.workload.id

  it('hits what is weakest on a user’s path', () => {
    expect(target(graph({ store: { replicas: 1 }, worker: { replicas: 1 } }))).toBe('Deployment/store')
    expect(target(graph({ shop: { readiness: false } }))).toBe('Deployment/shop')
    expect(target(graph({ store: { replicas: 1 }, gate: { managed: false } }))).toBe('Deployment/gate')
  })

  it('hits by node what must run on one, and otherwise not for that', () => {
    const own = graph({ shop: { together: true } })
    expect(rankTargets(own, { ...failureModel, pods: 'node' })[0]?.workload.id).toBe('Deployment/shop')
    expect(target(own)).toBe('Deployment/gate')
  })

  it('takes what nobody calls for no weaker because it does not tell when it is ready', () => {
    const agent = { id: 'DaemonSet/worker', replicas: 1, readiness: false }
    expect(target(graph({ worker: agent }))).toBe('Deployment/gate')
  })

  it('hits what is nearest to the user when nothing is weak', () => {
    expect(target(graph())).toBe('Deployment/gate')
  })

  it('is the same for the same graph, whatever the order of its workloads', () => {
    const turned = { ...graph(), workloads: graph().workloads.toReversed() }
    expect(chosen(turned)).toEqual(chosen(graph()))
  })

  it('aims at no pod without labels, and the input is refused when there is no other', () => {
    const bare = sampleWorkload('bare', { podLabels: {}, selector: {}, managed: false })
    const own = { ...graph(), workloads: [bare, ...graph().workloads] }
    expect(target(own)).not.toBe('Deployment/bare')
    expect(() => requireTargets(own, failureModel)).not.toThrow()
    const none = { ...graph(), workloads: [bare, sampleWorkload('idle', { replicas: 0 })] }
    expect(() => requireTargets(none, failureModel)).toThrow(
      /Deployment\/bare carries no labels, Deployment\/idle has 0 replicas/,
    )
  })

  it('cuts what is isolated off from everybody, and not from its like alone', () => {
    const isolated = { ...expectations, failureModel: { ...failureModel, event: 'isolation' as const } }
    const { faults } = scenarioChooser.expert({ ...scenarioInput(graph()), expectations: isolated })
    expect(faults[0]?.[0]).toMatchObject({ kind: 'NetworkChaos', action: 'partition' })
    expect(faults[0]?.[0]?.parameters).toEqual({})
  })

  it('is refused when its target does not exist', () => {
    const scenario = chosen(graph())
    expect(scenarioChooser.check(scenario, scenarioInput({ ...graph(), workloads: [] }))).toHaveLength(1)
    expect(scenarioChooser.check(scenario, scenarioInput(graph()))).toEqual([])
  })
})
