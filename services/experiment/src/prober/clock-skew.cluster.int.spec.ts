import { type Run } from '@ordeal/shared'
import { barePodApp, hypothesisFor } from '../testing/applications.js'
import { type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

const CYCLE_MS = 600_000
/** How far the clock of this process is behind that of the node on which the prober runs. */
const BEHIND_MS = 30_000
/** What the comparison of clocks may be off by on a busy machine. */
const TOLERANCE_MS = 2000

/** Clocks cannot be set for a test, but this process can be told another time than its node. */
function setClockBack(ms: number): () => void {
  const now = Date.now
  Date.now = () => now.call(Date) - ms
  return () => {
    Date.now = now
  }
}

describe('a node whose clock is ahead of ours, on a real cluster', () => {
  let cycle: Cycle
  let run: Run
  let restore: () => void
  beforeAll(async () => {
    await reachRealCluster()
    const app = barePodApp('front')
    cycle = await startRealCycle(app)
    restore = setClockBack(BEHIND_MS)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    run = await cycle.run(hypothesisFor(app, { durationMs: 10_000 }))
  }, CYCLE_MS)
  afterAll(async () => {
    restore()
    expect(await cycle.cleanUp()).toBeNull()
  }, CYCLE_MS)

  it('does not move a sample into another window: what failed did so from the fault on', () => {
    expect(run.problem).toBeNull()
    const failed = (run.samples['front-answers'] ?? []).filter((sample) => !sample.ok)
    const first = failed[0]?.at ?? Infinity
    expect(first).toBeGreaterThan(run.windows.fault.from - TOLERANCE_MS)
    expect(first).toBeLessThan(run.windows.fault.from + TOLERANCE_MS)
  })
})
