import { faultSchema, type Run } from '@ordeal/shared'
import { deploymentApp, faultOn, hypothesisFor, withVariable } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Cycle } from '../testing/cycle.js'
import { FUNCTIONAL_CASES, type FunctionalCase } from '../testing/functional-cases.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** Several cycles at once, on a machine that may be busy. */
const CYCLE_MS = 900_000
const DURATION_MS = 20_000
const LANES = 3
const app = withVariable(deploymentApp('front', 2), { name: 'MODE', value: 'a' })

type Case = Omit<FunctionalCase, 'breaks'>

/** What shows of these hangs on how many nodes there are and how fast they are. */
const FURTHER: readonly Case[] = [
  { action: 'missing-env', parameters: { variable: 'MODE' }, record: /without the variable MODE/, effect: /./ },
  { action: 'bad-probe', parameters: { probe: 'liveness' }, record: /liveness probe/, effect: /./ },
  {
    action: 'excess-load',
    parameters: { requestsPerSecond: 20 },
    record: /20 requests/,
    effect: /reach the target/,
  },
]
/** While a node takes no pods, those of all others wait too. */
const DRAIN: Case = {
  action: 'node-drain',
  parameters: {},
  record: /^Node\/.* cordoned and drained of \d pods?/,
  effect: /gone|being ended/,
}
const BESIDE: readonly Case[] = [...FUNCTIONAL_CASES, ...FURTHER]

describe('functional faults on a real cluster', () => {
  const open: Cycle[] = []
  /** Runs of one cycle, one after the other, on revisions that are equal: each is taken back to the last field. */
  const inTurn = async (cases: readonly Case[]): Promise<Map<string, Run>> => {
    const cycle = await startRealCycle(app)
    open.push(cycle)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    const runs = new Map<string, Run>()
    for (const [revision, { action, parameters }] of cases.entries()) {
      if (revision > 0) await cycle.putRevision(revision, app.objects)
      const fault = { ...faultOn(app), kind: 'Functional', action, parameters, durationMs: DURATION_MS }
      runs.set(action, await cycle.run(hypothesisFor(app, faultSchema.parse(fault)), revision))
    }
    return runs
  }
  const laneOf = (lane: number) => BESIDE.filter((_, index) => index % LANES === lane)
  const startAll = () => {
    const lanes = atOnce({ 0: () => inTurn(laneOf(0)), 1: () => inTurn(laneOf(1)), 2: () => inTurn(laneOf(2)) })
    const alone = Promise.allSettled(Object.values(lanes)).then(() => inTurn([DRAIN]))
    alone.catch(() => undefined)
    return { lanes: Object.values(lanes), alone }
  }
  let works: ReturnType<typeof startAll>
  beforeAll(async () => {
    await reachRealCluster()
    works = startAll()
  })
  afterAll(async () => {
    await Promise.allSettled([...works.lanes, works.alone])
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, CYCLE_MS)

  const expectShown = (run: Run | undefined, { record, effect }: Case): void => {
    expect(run?.problem).toBeNull()
    expect(run?.injections).toMatchObject([
      {
        evidence: { record: expect.stringMatching(record), effect: expect.stringMatching(effect) },
        recoveredAt: expect.any(Number),
      },
    ])
    expect(run?.recovery).toMatchObject([{ component: 'Deployment/front', healthyAfterMs: expect.any(Number) }])
  }

  it.each(BESIDE)(
    '$action shows, is taken back, and its target comes back',
    async (each) => {
      const lane = works.lanes[BESIDE.indexOf(each) % LANES]
      expectShown((await lane)?.get(each.action), each)
    },
    CYCLE_MS,
  )

  it(
    'node-drain shows, is taken back, and its target comes back',
    async () => expectShown((await works.alone).get(DRAIN.action), DRAIN),
    CYCLE_MS,
  )
})
