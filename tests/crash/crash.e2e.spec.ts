import { applications } from './applications.js'
import { startFleet, type Fleet } from './fleet.js'
import { killAtPoints } from './kill-at-points.js'
import { killAtRandom } from './kill-at-random.js'
import { leftovers } from './leftovers.js'
import { learn, type Undisturbed } from './walk.js'

const MINUTE = 60_000

/** A few of what `npm run test:crash` does in full. */
const FEW = {
  gateway: ['message:committed', 'relay:published'],
  hypothesis: ['step:worked:draft', 'message:committed', 'step:recorded:hypothesis.proposal-1'],
  experiment: ['step:worked:cluster', 'step:recorded:moment-0', 'step:worked:run', 'phase:before-end'],
  analysis: ['phase:before-end', 'relay:published'],
  improvement: ['phase:claimed'],
}

describe('services that are killed', () => {
  let fleet: Fleet
  let undisturbed: Undisturbed
  beforeAll(async () => {
    fleet = await startFleet()
    undisturbed = await learn(fleet, applications, [1])
  }, 2 * MINUTE)
  afterAll(() => fleet.stop(), MINUTE)

  it(
    'at settlement points leave every cycle with its verdict, and nothing behind',
    async () => {
      const { walked, unreached } = await killAtPoints(fleet, FEW, applications)
      expect(unreached).toEqual([])
      expect(walked.flatMap((one) => undisturbed.differences(one))).toEqual([])
      expect(await leftovers(fleet)).toEqual([])
    },
    3 * MINUTE,
  )

  it(
    'at random do so too',
    async () => {
      const walked = await killAtRandom(fleet, { applications, seeds: [1], cycles: 6, kills: 10, seed: 3 })
      expect(walked.flatMap((one) => undisturbed.differences(one))).toEqual([])
      expect(await leftovers(fleet)).toEqual([])
    },
    3 * MINUTE,
  )
})
