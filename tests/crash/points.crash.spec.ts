import { applications } from './applications.js'
import { startFleet, type Fleet } from './fleet.js'
import { leftovers, lostLeases } from './leftovers.js'
import { killAtPoints } from './kill-at-points.js'
import { points } from './points.js'
import { learn, say, type Undisturbed } from './walk.js'

const MINUTE = 60_000

describe('kill -9 at every settlement point', () => {
  let fleet: Fleet
  let undisturbed: Undisturbed
  beforeAll(async () => {
    fleet = await startFleet()
    undisturbed = await learn(fleet, applications, [1])
  }, MINUTE)
  afterAll(() => fleet.stop(), MINUTE)

  it(
    'leaves every cycle with its verdict, every effect once, and nothing behind',
    async () => {
      const { walked, unreached, reached } = await killAtPoints(fleet, points, applications)
      say(`killed at ${reached} points in ${walked.length} cycles; ${await lostLeases(fleet)} leases were lost`)
      say(undisturbed.tally(walked))
      expect(unreached).toEqual([])
      expect(walked.flatMap((one) => undisturbed.differences(one))).toEqual([])
      expect(await leftovers(fleet)).toEqual([])
    },
    12 * MINUTE,
  )
})
