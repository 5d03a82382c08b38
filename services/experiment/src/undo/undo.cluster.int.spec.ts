import { undoneSchema } from '@ordeal/shared'
import { deploymentApp } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Cycle } from '../testing/cycle.js'
import { abortedWhenNoted } from '../testing/dying.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

const CYCLE_MS = 600_000
const SCALED = 'Deployment/front scaled to 0'

describe('what no duration ends, on a real cluster', () => {
  const open: Cycle[] = []
  const replicas = async (cycle: Cycle): Promise<unknown> => {
    const metadata = { name: 'front', namespace: cycle.namespace }
    const { objects } = await cycle.look()
    return (
      (await objects.get({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }))?.spec as
        { replicas?: number } | undefined
    )?.replicas
  }
  const undone = (cycle: Cycle) => cycle.context(0, 'look').artefacts.all('undone', undoneSchema)
  /** A cycle whose process ends in the middle of a negative control, the application broken. */
  const dieNoted = async (why: 'lease-lost' | 'cancelled') => {
    const cycle = await startRealCycle(deploymentApp('front', 2))
    open.push(cycle)
    const died = await cycle
      .measure(abortedWhenNoted(cycle.context(0, 'measure'), why))
      .catch((error: unknown) => error)
    return { cycle, died, left: await replicas(cycle) }
  }
  let works: ReturnType<typeof startAll>
  const startAll = () =>
    atOnce({
      died: async () => {
        const { cycle, died, left } = await dieNoted('lease-lost')
        const measured = await cycle.measure()
        return { cycle, died, left, measured, restored: await replicas(cycle), undone: await undone(cycle) }
      },
      cancelled: async () => {
        const { cycle, died, left } = await dieNoted('cancelled')
        return { died, left, problem: await cycle.cleanUp(), undone: await undone(cycle) }
      },
    })
  beforeAll(async () => {
    await reachRealCluster()
    works = startAll()
  })
  afterAll(async () => {
    await Promise.allSettled(Object.values(works))
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, CYCLE_MS)

  it(
    'is undone, verified and told by the next attempt when its doer died',
    async () => {
      const seen = await works.died
      expect(seen).toMatchObject({ died: { code: 'aborted-lease-lost' }, left: 0, restored: 2 })
      expect(seen.cycle.notes).toContain(`found and undone: ${SCALED}`)
      expect(seen.measured).toMatchObject({ settled: true, attempt: 2 })
      expect(seen.undone).toMatchObject([
        { what: SCALED, by: 'found' },
        { what: SCALED, by: 'plan' },
      ])
    },
    CYCLE_MS,
  )

  it(
    'is undone at once by a cancel',
    async () => {
      expect(await works.cancelled).toMatchObject({
        died: { code: 'aborted-cancelled' },
        left: 2,
        problem: null,
        undone: [{ what: SCALED, by: 'removed' }],
      })
    },
    CYCLE_MS,
  )
})
