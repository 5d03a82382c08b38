import {
  approvalSchema,
  cycleOptionsSchema,
  RECORDED_APPROVALS,
  Suspended,
  type CycleOptions,
  proposalSchema,
} from '@ordeal/shared'
import { createMemoryContext, type MemoryContext } from '@ordeal/shared/testing'
import { z } from 'zod'
import { approved, NotApprovedError, type Approved, type Subject } from './approve.js'
import { inDiff } from './written.js'

const word = z.object({ word: z.string() })
type Word = z.infer<typeof word>

/** A word that can be replaced by any other, and revised to what a message says, unless it says "impossible". */
const subject: Subject<Word> = {
  what: 'hypothesis',
  name: 'word',
  revision: 0,
  value: word,
  form: { type: 'object' },
  show: (value, before) => ({ title: 'A word', text: inDiff('word', before, value), document: value }),
  replaced: (document) => Promise.resolve({ value: word.parse(document), problems: [] }),
  revised: (message, value) =>
    Promise.resolve(
      message === 'impossible'
        ? { value, problems: ['That cannot be said'] }
        : { value: { word: message }, problems: [] },
    ),
}

/** Attempts at a phase that has nothing to do but to ask, each on the documents of the one before. */
async function phaseWith(options: Partial<CycleOptions>) {
  const context = createMemoryContext()
  await context.artefacts.put('options', cycleOptionsSchema.parse({ approve: ['hypothesis'], ...options }))
  await context.vault.put('secrets', { 'ordeal-secret:1': 'hunter2hunter2' })
  const attempt = (): Promise<Approved<Word>> =>
    approved({ word: 'first' }, subject, createMemoryContext({ cycle: context.cycle }))
  /** Lets people say something to what the next attempt asks. */
  const say = async (...said: Parameters<MemoryContext['cycle']['people']['say']>): Promise<void> => {
    await expect(attempt()).rejects.toBeInstanceOf(Suspended)
    context.cycle.people.say(...said)
  }
  return { context, attempt, say, asked: () => context.cycle.people.asked.map(({ proposal }) => proposal) }
}

describe('approving something', () => {
  it('asks nobody who does not want to be asked', async () => {
    const { attempt, asked } = await phaseWith({ approve: ['improvement'] })
    expect(await attempt()).toEqual({ value: { word: 'first' }, by: null })
    expect(asked()).toEqual([])
  })

  it('waits for a yes, and keeps it', async () => {
    const { context, attempt, say } = await phaseWith({ approveTimeoutMs: 5000, approveDefault: 'approve' })
    await say('approve', { message: 'the password is hunter2hunter2' })
    expect(context.cycle.people.asked[0]?.terms).toEqual({ timeoutMs: 5000, byDefault: 'approve' })
    expect(await attempt()).toEqual({ value: { word: 'first' }, by: null })
    const [approval, ...more] = await context.artefacts.all('approval', approvalSchema)
    expect(approval).toMatchObject({ what: 'hypothesis', round: 1, decision: 'approve', by: 'alice' })
    expect(approval?.message).not.toContain('hunter2')
    expect(more).toEqual([])
  })

  it('shows what was made of a message as a diff, and what could not be', async () => {
    const { attempt, say, asked } = await phaseWith({})
    await say('revise', { message: 'second' })
    await say('revise', { message: 'impossible' })
    await say('approve')
    expect(await attempt()).toEqual({ value: { word: 'second' }, by: 'revised' })
    expect(asked().map(({ round, problems }) => [round, problems])).toEqual([
      [1, []],
      [2, []],
      [3, ['That cannot be said']],
    ])
    expect(asked()[1]?.text).toMatch(/-word: first\n\+word: second/)
    expect(asked()[2]?.text).toBe('word: second\n')
  })

  it('takes a replacement only when it was seen again', async () => {
    const { attempt, say } = await phaseWith({})
    await say('replace', { document: { word: 'mine' } })
    await say('reject', { message: 'on second thoughts, no' })
    await expect(attempt()).rejects.toMatchObject({
      silent: false,
      why: expect.stringContaining('second thoughts') as string,
    })
    const again = await phaseWith({})
    await again.say('replace', { document: { word: 'mine' } })
    await again.say('approve')
    expect(await again.attempt()).toEqual({ value: { word: 'mine' }, by: 'person' })
  })

  it('has a last round', async () => {
    const { say, attempt, asked } = await phaseWith({})
    for (const message of ['2', '3', '4', '5']) await say('revise', { message })
    await say('approve')
    expect(await attempt()).toMatchObject({ value: { word: '5' } })
    expect(asked().map(({ decisions }) => decisions.length)).toEqual([4, 4, 4, 4, 2])
  })

  it('tells a no from silence', async () => {
    const { attempt, say } = await phaseWith({ approveTimeoutMs: 60_000 })
    await say('reject', { by: null })
    const error = await attempt().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NotApprovedError)
    expect(error).toMatchObject({
      silent: true,
      code: 'not-approved',
      message: expect.stringContaining('1 min') as string,
    })
  })

  it('goes by a recording without asking, and by none of another proposal', async () => {
    const { context, say, attempt } = await phaseWith({})
    await say('replace', { document: { word: 'mine' } })
    await say('approve')
    await attempt()
    const recorded = await context.artefacts.all('approval', approvalSchema)
    const replay = await phaseWith({})
    await replay.context.vault.put(RECORDED_APPROVALS, recorded)
    expect(await replay.attempt()).toEqual({ value: { word: 'mine' }, by: 'person' })
    expect(replay.asked()).toEqual([])
    expect(await replay.context.artefacts.all('proposal', proposalSchema)).toHaveLength(2)
    expect(await replay.context.artefacts.all('approval', approvalSchema)).toEqual(recorded)
    const other = approved(
      { word: 'another' },
      subject,
      createMemoryContext({ cycle: (await replayOf(recorded)).cycle }),
    )
    await expect(other).rejects.toMatchObject({ code: 'replay-diverged' })
  })

  const replayOf = async (recorded: unknown): Promise<MemoryContext> => {
    const { context } = await phaseWith({})
    await context.vault.put(RECORDED_APPROVALS, recorded)
    return context
  }
})
