import { DEFAULT_EXPECTATIONS } from '@ordeal/shared'
import { sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { instructionsReader } from './instructions.agent.js'

const graph = {
  application: 'mall',
  workloads: [sampleWorkload('gate'), sampleWorkload('store')],
  services: [sampleService('gate')],
  edges: [],
  entryPoints: ['Service/gate'],
}
const asked = (instructions: string) => ({ instructions, graph, base: DEFAULT_EXPECTATIONS })
const NOTHING = {
  failureModel: {
    event: null,
    pods: null,
    together: null,
    workloads: null,
    spared: null,
    latencyMs: null,
    durationMs: null,
  },
  tolerances: { minShare: null, maxOutageMs: null, normalAfterMs: null },
  traffic: { requestsPerSecond: null, paths: [] },
  notUnderstood: [],
}
const tolerating = (tolerances: Partial<(typeof NOTHING)['tolerances'] | Record<string, number>>) =>
  instructionsReader.answer.parse({ ...NOTHING, tolerances: { ...NOTHING.tolerances, ...tolerances } })

describe('instructions read by a model', () => {
  it('may say what the rules did not understand', () => {
    const answer = tolerating({ minShare: 0.9 })
    const percent = asked('Shoppers forgive us one request in ten.')
    expect(instructionsReader.problems(answer, percent)).toEqual([])
    const floor = instructionsReader.expert(percent)
    expect(instructionsReader.combine(answer, floor, percent)).toMatchObject({
      tolerances: { minShare: 0.9, maxOutageMs: 5000 },
      askedFor: ['minShare'],
    })
  })

  it.each([{ maxOutageMs: 600_000 }, { minShare: 0 }, { normalAfterMs: 90_000 }])(
    'may not loosen by numbers that nobody said: %j',
    (tolerances) => {
      const question = asked('Be gentle with it for 20 seconds.')
      expect(instructionsReader.problems(tolerating(tolerances), question)).toHaveLength(1)
    },
  )

  it('add nothing where the rules understood every sentence', () => {
    const question = asked('At least 99 % of requests succeed.')
    const floor = instructionsReader.expert(question)
    expect(floor.tolerances.minShare).toBe(0.99)
    expect(instructionsReader.combine(tolerating({ maxOutageMs: 99_000 }), floor, question)).toEqual(floor)
  })
})
