import { type Fault } from '@ordeal/shared'
import { deploymentApp, hypothesisFor, withVariable } from '../testing/applications.js'
import { type Cycle } from '../testing/cycle.js'
import { FUNCTIONAL_CASES } from '../testing/functional-cases.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

const CYCLE_MS = 600_000
const DURATION_MS = 20_000
const app = withVariable(deploymentApp('front', 2), { name: 'MODE', value: 'a' })

describe('functional faults on a real cluster', () => {
  const open: Cycle[] = []
  beforeAll(reachRealCluster)
  afterEach(async () => {
    for (const cycle of open.splice(0)) expect(await cycle.cleanUp()).toBeNull()
  }, CYCLE_MS)

  it.each(FUNCTIONAL_CASES)(
    '$action shows, and is taken back',
    async ({ action, parameters, record, effect }) => {
      const cycle = await startRealCycle(app)
      open.push(cycle)
      const measured = await cycle.measure()
      if (!measured.settled) throw new Error(measured.cause)
      const fault = { kind: 'Functional', action, parameters, durationMs: DURATION_MS } as Partial<Fault>
      const run = await cycle.run(hypothesisFor(app, fault))
      expect(run.problem).toBeNull()
      expect(run.injections[0]?.evidence.record).toMatch(record)
      expect(run.injections[0]?.evidence.effect).toMatch(effect)
      expect(run.injections[0]?.recoveredAt).not.toBeNull()
    },
    CYCLE_MS,
  )
})
