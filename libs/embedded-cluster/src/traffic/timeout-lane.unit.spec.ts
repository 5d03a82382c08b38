import * as fc from 'fast-check'
import { Kernel } from '../kernel/kernel.js'
import { type Call } from './call.js'
import { TimeoutLane } from './timeout-lane.js'

/** As much of a call as a lane touches. */
class Waiting {
  settled = false
  deadlineMs = 0
  expiredAt: number | null = null

  constructor(private readonly kernel: Kernel) {}

  expire(): void {
    this.settled = true
    this.expiredAt = this.kernel.now
  }
}

describe('a lane of calls with one time-out', () => {
  it('ends each call that is not settled exactly when its own timer would', () => {
    const calls = fc.array(
      fc.record({ gap: fc.integer({ min: 0, max: 50 }), takes: fc.integer({ min: 0, max: 200 }) }),
      {
        maxLength: 600,
      },
    )
    fc.assert(
      fc.property(calls, (plan) => {
        const kernel = new Kernel({ startMs: 0, seed: 1 })
        const lane = new TimeoutLane(kernel, 100)
        let at = 0
        const sent = plan.map(({ gap, takes }) => {
          const call = new Waiting(kernel)
          const sentAt = (at += gap)
          kernel.at(sentAt, { run: () => lane.add(call as unknown as Call) }, 'run')
          // Settled half a millisecond before a whole one, so that never both are due at once.
          kernel.at(sentAt + takes - 0.5, { run: () => (call.settled = true) }, 'run')
          return { call, expected: takes > 100 ? sentAt + 100 : null, sentAt, takes }
        })
        kernel.runUntil(at + 1000)
        for (const { call, expected, takes } of sent) {
          if (takes > 0) expect(call.expiredAt).toBe(expected)
        }
        expect(kernel.nextAt).toBeNull()
      }),
      { numRuns: 60 },
    )
  })
})
