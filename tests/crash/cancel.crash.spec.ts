import { setTimeout as sleep } from 'node:timers/promises'
import { applications, type Application } from './applications.js'
import { cameTo, cancelCycle, cycle, startCycle, untilFinished } from './cycles.js'
import { startFleet, type Fleet } from './fleet.js'
import { leftovers } from './leftovers.js'
import { randomFrom } from './random.js'
import { say } from './walk.js'

const MINUTE = 60_000
const CANCELS = 30
/** A cycle that was cancelled is over, clean-up and all, within this. */
const WITHIN_MS = 15_000
/** Events that a cycle tells from its start to its end, roughly. */
const EVENTS = 32

const [kept] = applications as [Application]

interface Cancelled {
  readonly id: string
  readonly after: string
  readonly tookMs: number
  readonly outcome: string | null
}

describe('cancel', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = await startFleet()
  }, MINUTE)
  afterAll(() => fleet.stop(), MINUTE)

  /** Cancels a cycle a moment after its nth event. */
  const cancelAfter = async (application: Application, nth: number, pauseMs: number): Promise<Cancelled> => {
    const id = await startCycle(fleet, application, 1)
    let [count, after, cancelledAt] = [0, 'nothing', Infinity]
    const cancel = async (what: string): Promise<void> => {
      await sleep(pauseMs)
      after = what
      cancelledAt = performance.now()
      await cancelCycle(fleet, id)
    }
    let cancelling = nth === 0 ? cancel('start') : undefined
    await untilFinished(fleet, id, MINUTE, ({ type, data }) => {
      count += 1
      if (count >= nth) cancelling ??= cancel(type === 'progress' ? String(data.message) : type)
    })
    await cancelling
    const tookMs = Math.round(performance.now() - cancelledAt)
    const { outcome } = await cameTo(fleet, id)
    return { id, after, tookMs, outcome }
  }

  it(
    `of ${CANCELS} cycles at random moments ends each within seconds and leaves nothing`,
    async () => {
      const random = randomFrom(7)
      const all: Cancelled[] = []
      const moments = Array.from({ length: CANCELS }, (_, i) => ({
        application: applications[i % applications.length] as Application,
        nth: random.below(EVENTS),
        pauseMs: random.below(50),
      }))
      const go = async (): Promise<void> => {
        for (let one = moments.shift(); one; one = moments.shift()) {
          all.push(await cancelAfter(one.application, one.nth, one.pauseMs))
        }
      }
      await Promise.all([go(), go(), go()])
      for (const { after, tookMs, outcome } of all) say(`  ${outcome} ${tookMs} ms after: ${after}`)
      const cancelled = all.filter(({ outcome }) => outcome === 'cancelled')
      const longest = Math.max(...all.map(({ tookMs }) => tookMs))
      say(
        `${cancelled.length} of ${all.length} were cancelled, the others were over already; the longest took ${longest} ms`,
      )
      expect(cancelled.length).toBeGreaterThan(CANCELS / 2)
      expect(all.filter(({ tookMs }) => tookMs > WITHIN_MS)).toEqual([])
      expect(all.filter(({ outcome }) => outcome === 'failed' || outcome === 'inconclusive')).toEqual([])
      expect(await leftovers(fleet)).toEqual([])
    },
    5 * MINUTE,
  )

  it(
    'of a cycle that nobody has taken up yet does not wait for who would',
    async () => {
      const back = fleet.kill('hypothesis')
      const id = await startCycle(fleet, kept, 1)
      await cancelCycle(fleet, id)
      await untilFinished(fleet, id, MINUTE)
      await back
      expect(await cameTo(fleet, id)).toMatchObject({ outcome: 'cancelled', problem: null, runs: [] })
      expect(await leftovers(fleet)).toEqual([])
    },
    MINUTE,
  )

  it(
    'twice at once is one cancel, and after the end it changes nothing',
    async () => {
      const id = await startCycle(fleet, kept, 1)
      const answers = await Promise.all([1, 2, 3].map(() => cancelCycle(fleet, id)))
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
      const types: string[] = []
      const ended = await untilFinished(fleet, id, MINUTE, ({ type }) => types.push(type))
      expect(types.filter((type) => type === 'cycle.cancel-requested')).toHaveLength(1)
      expect((await cancelCycle(fleet, id)).status).toBe(202)
      expect(await cycle(fleet, id)).toEqual(ended)
      expect(await leftovers(fleet)).toEqual([])
    },
    MINUTE,
  )

  it.each(['experiment.finished', 'cycle.concluded'])(
    'that races with the end (%s) has one outcome everywhere',
    async (last) => {
      const outcomes: string[] = []
      for (let i = 0; i < 5; i += 1) {
        const id = await startCycle(fleet, kept, 1)
        let cancelling: Promise<unknown> | undefined
        const types: string[] = []
        const view = await untilFinished(fleet, id, MINUTE, ({ type }) => {
          types.push(type)
          if (type === last) cancelling ??= sleep(i * 5).then(() => cancelCycle(fleet, id))
        })
        await cancelling
        expect(await cameTo(fleet, id)).toMatchObject({ outcome: view.outcome })
        expect(['resilient', 'cancelled']).toContain(view.outcome)
        expect(types.filter((type) => type === 'cycle.concluded' || type === 'cycle.finished')).toHaveLength(2)
        outcomes.push(String(view.outcome))
      }
      say(`cancelled at ${last}: ${outcomes.join(', ')}`)
      expect(await leftovers(fleet)).toEqual([])
    },
    2 * MINUTE,
  )
})
