import { CHAOS_API, CHAOS_KINDS } from '@ordeal/kubernetes'
import { type Fault } from '@ordeal/shared'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { startRealCycle } from '../testing/real-cycle.js'

/** A whole cycle on a busy machine. */
const CYCLE_MS = 600_000

describe('run on a real cluster', () => {
  const open: Cycle[] = []
  const start = async (app: Application) => {
    const cycle = await startRealCycle(app)
    open.push(cycle)
    await cycle.measure()
    return cycle
  }
  afterEach(async () => {
    for (const cycle of open.splice(0)) await cycle.cleanUp()
  }, CYCLE_MS)

  it(
    'says that a delay was not injected, and why, where the kernel cannot',
    async () => {
      const app = deploymentApp('front', 1)
      const cycle = await start(app)
      const delay: Partial<Fault> = { kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 100 } }
      const run = await cycle.run(hypothesisFor(app, { ...delay, durationMs: 30_000 }))
      expect(run.problem).toMatchObject({ reason: 'not-injected', message: expect.stringMatching(/tc/) })
      const { objects } = await cycle.look()
      for (const kind of CHAOS_KINDS) expect(await objects.list({ apiVersion: CHAOS_API, kind })).toEqual([])
    },
    CYCLE_MS,
  )
})
