import { type Run } from '@ordeal/shared'
import { barePodApp, hypothesisFor } from '../testing/applications.js'
import { type Cycle } from '../testing/cycle.js'
import { chaosOf } from '../testing/real-faults.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

const CYCLE_MS = 600_000
const PLANNED_MS = 60_000

describe('a guard, on a real cluster', () => {
  let cycle: Cycle
  let run: Run
  beforeAll(async () => {
    await reachRealCluster()
    const app = barePodApp('front')
    cycle = await startRealCycle(app, {}, { abortWhen: ['availability<50% for 5s'] })
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    run = await cycle.run(hypothesisFor(app, { action: 'pod-failure', durationMs: PLANNED_MS }))
  }, CYCLE_MS)
  afterAll(async () => expect(await cycle.cleanUp()).toBeNull(), CYCLE_MS)

  it('takes the fault back long before its time, and says why', async () => {
    expect(run.problem).toMatchObject({ reason: 'guard', message: expect.stringContaining('availability<50% for 5s') })
    expect(run.windows.fault.to - run.windows.fault.from).toBeLessThan(PLANNED_MS)
    expect(run.injections).toMatchObject([{ recoveredAt: expect.any(Number) }])
    expect(await chaosOf(cycle)).toEqual([])
  })

  it('leaves what had failed until then to be judged', () => {
    const { fault } = run.windows
    const during = (run.samples['front-answers'] ?? []).filter((s) => s.at >= fault.from && s.at < fault.to)
    expect(during.filter((s) => !s.ok).length).toBeGreaterThan(during.length / 2)
  })
})
