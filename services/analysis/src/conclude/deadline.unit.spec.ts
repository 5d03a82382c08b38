import { Suspended, type PhaseContext } from '@ordeal/shared'
import { createMemoryContext } from '@ordeal/shared/testing'
import { deadline } from './deadline.phase.js'

const models = { forCycle: () => Promise.resolve(null) }
const MINUTE_MS = 60_000

/** A context whose cycle has waited for people for so long. */
const afterWaiting = (waitedMs: number): PhaseContext => {
  const context = createMemoryContext()
  return { ...context, people: { ...context.people, waitedMs: () => Promise.resolve(waitedMs) } }
}
const reached = (context: PhaseContext, minutesAgo: number): ReturnType<ReturnType<typeof deadline>> =>
  deadline(models)(context, {
    deadlineMs: 30 * MINUTE_MS,
    startedAt: new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString(),
  })

describe('the deadline of a cycle', () => {
  it('ends a cycle that did not wait for people', async () => {
    const drafts = await reached(afterWaiting(0), 30)
    expect(drafts.map(({ type }) => type)).toEqual(['cycle.cancel-requested', 'cycle.concluded'])
  })

  it('comes later by what people took', async () => {
    const early = reached(afterWaiting(20 * MINUTE_MS), 30)
    await expect(early).rejects.toBeInstanceOf(Suspended)
    const { forMs, questions } = (await early.catch((thrown: unknown) => thrown)) as Suspended
    expect(questions).toEqual([])
    expect(forMs / MINUTE_MS).toBeCloseTo(20, 1)
  })

  it('comes once that is over, too', async () => {
    expect(await reached(afterWaiting(20 * MINUTE_MS), 50.1)).toHaveLength(2)
  })
})
