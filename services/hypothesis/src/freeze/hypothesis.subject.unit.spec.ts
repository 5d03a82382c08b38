import { cycleOptionsSchema, DEFAULT_EXPECTATIONS, type Graph, type SteadyState } from '@ordeal/shared'
import { createMemoryContext, sampleService, sampleWorkload } from '@ordeal/shared/testing'
import { type Next } from '@ordeal/agents'
import { formHypothesis, type Grounds, type Unfrozen } from './form-hypothesis.js'
import { hypothesisSubject } from './hypothesis.subject.js'

const graph: Graph = {
  application: 'shop',
  workloads: [sampleWorkload('shop'), sampleWorkload('db')],
  services: [sampleService('shop')],
  edges: [],
  entryPoints: ['Service/shop'],
}
const answers: SteadyState = {
  id: 'shop-answers',
  statement: 'the shop answers',
  target: 'Service/shop',
  weight: 3,
  probe: { kind: 'http', service: 'shop', port: 80, path: '/', ratePerSecond: 10, timeoutMs: 2000 },
  threshold: {
    maxLatencyMs: 500,
    fault: { minShare: 0.95, maxOutageMs: 5000 },
    post: { normalAfterMs: 5000, minShare: 0.98 },
  },
  baseline: { samples: 150, failed: 0, latencyMs: { p50: 1, p99: 2 } },
  negativeControl: { failed: true, how: 'scaled to 0', method: 'target-broken' },
}
const grounds: Grounds = {
  graph,
  expectations: DEFAULT_EXPECTATIONS,
  kept: { steadyStates: [answers], leftOut: [], around: [] },
  around: [],
}

/** A hypothesis by the rules, and what they make of a message about it. */
async function revisedBy(message: string): Promise<Next<Unfrozen> & { readonly first: Unfrozen }> {
  const context = createMemoryContext()
  await context.artefacts.put('options', cycleOptionsSchema.parse({}))
  const place = { context, models: { forCycle: () => Promise.resolve(null) } }
  const first = await formHypothesis(grounds, place)
  return { ...(await hypothesisSubject(grounds, first, place).revised(message, first, 1)), first }
}

describe('revising a hypothesis by the rules alone', () => {
  it('follows the phrases of instructions: what is hit, how strictly, for how long', async () => {
    const { value, problems } = await revisedBy(
      'One shop pod answers 2 s late for 20 s. At least 99 % of requests succeed. It must be back to normal within 7 s.',
    )
    expect(problems).toEqual([])
    expect(value.scenario.faults[0]?.[0]).toMatchObject({ action: 'delay', parameters: { latencyMs: 2000 } })
    expect(value.timing.faultMs).toBe(20_000)
    expect(value.steadyStates[0]?.threshold).toMatchObject({
      maxLatencyMs: 500,
      fault: { minShare: 0.99 },
      post: { normalAfterMs: 7000 },
    })
  })

  it('says what it made nothing of, and keeps what was proposed', async () => {
    const { value, problems, first } = await revisedBy('Play me a song.')
    expect(value).toBe(first)
    expect(problems.join()).toContain('Play me a song')
  })

  it('cannot change traffic that was measured', async () => {
    const { value, problems, first } = await revisedBy('Use 25 requests per second.')
    expect(value).toBe(first)
    expect(problems.join()).toContain('--instructions')
  })

  it('does not hit what no steady state would feel, or what is not there', async () => {
    const unfelt = await revisedBy('When any single db pod dies, it must be back to normal within 9 s.')
    expect(unfelt.value).toBe(unfelt.first)
    expect(unfelt.problems.join()).toMatch(/would feel the loss of Deployment\/db/)
    const tooMany = await revisedBy('One pod of each of four different workloads may die at the same moment.')
    expect(tooMany.value).toBe(tooMany.first)
    expect(tooMany.problems.join()).toMatch(/to be hit at once/)
  })
})
