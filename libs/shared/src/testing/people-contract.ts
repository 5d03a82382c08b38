import { type Answer, type Decision } from '../artefacts/approval.js'
import { Suspended } from '../errors.js'
import { type Question } from '../service/definition.js'

/** People as a phase sees them, and as themselves. */
export interface SpecPeople {
  /** Asks, as a phase does; where there is no answer yet, the phase is suspended as a runner does it. */
  readonly ask: (question: Question) => Promise<Answer>
  /** Answers the question that is open. */
  readonly say: (decision: Decision, words: Pick<Answer, 'message' | 'document'>) => Promise<void>
}

const question = (round: number): Question => ({
  proposal: {
    ...{ what: 'hypothesis', revision: 0, round, title: 'A title', text: 'a: 1\n', document: { a: 1 }, form: {} },
    ...{ decisions: ['approve', 'revise', 'replace', 'reject'], problems: [] },
  },
  terms: { timeoutMs: 600_000, byDefault: 'reject' },
})

/** What People must do, whatever keeps their answers. `create` gives those of a new cycle. */
export function describePeople(where: string, create: () => Promise<SpecPeople>): void {
  describe(`people ${where}`, () => {
    it('suspend a phase with its question until they answer', async () => {
      const { ask, say } = await create()
      await expect(ask(question(1))).rejects.toMatchObject({ questions: [question(1)] })
      await expect(ask(question(1))).rejects.toBeInstanceOf(Suspended)
      await say('replace', { message: 'mine is better', document: { a: [2, null] } })
      const answer = { decision: 'replace', by: 'alice', message: 'mine is better', document: { a: [2, null] } }
      expect(await ask(question(1))).toMatchObject(answer)
      expect(await ask(question(1))).toEqual(await ask(question(1)))
    })

    it('are asked anew about what was not asked before', async () => {
      const { ask, say } = await create()
      await expect(ask(question(1))).rejects.toBeInstanceOf(Suspended)
      await say('revise', { message: 'other', document: null })
      await expect(ask(question(2))).rejects.toMatchObject({ questions: [question(2)] })
      await say('approve', { message: null, document: null })
      expect(await ask(question(1))).toMatchObject({ decision: 'revise', message: 'other' })
      expect(await ask(question(2))).toMatchObject({ decision: 'approve', message: null, document: null })
    })
  })
}
