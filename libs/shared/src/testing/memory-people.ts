import { type Answer, type Decision } from '../artefacts/approval.js'
import { Suspended } from '../errors.js'
import { type ArtefactWriter, type People, type Question } from '../service/definition.js'
import { canonicalJson, hashOf } from '../store/canonical-json.js'

/** People in memory: what they were asked, and what a test lets them say. */
export interface MemoryPeople extends People {
  /** Every question once, in the order in which they were asked. */
  readonly asked: readonly Question[]
  /** Answers the first question that is open. A `by` of null is the default's decision. */
  say(decision: Decision, words?: Partial<Pick<Answer, 'message' | 'document' | 'by'>>): void
}

/** `artefacts` are those of the cycle: what is asked is kept among them, as a runner does it. */
export function createMemoryPeople(artefacts: ArtefactWriter): MemoryPeople {
  const questions = new Map<string, { readonly question: Question; answer: Answer | null }>()
  return {
    get asked() {
      return [...questions.values()].map(({ question }) => question)
    },
    say: (decision, words = {}) => {
      const open = [...questions.values()].find(({ answer }) => answer === null)
      if (!open) throw new Error('nobody was asked')
      open.answer = { by: 'alice', message: null, document: null, ...words, decision, at: '2026-11-30T12:00:00.000Z' }
    },
    answer: async (question) => {
      const { what: name, revision } = question.proposal
      const id = hashOf(canonicalJson(question.proposal))
      const known = questions.get(id) ?? { question, answer: null }
      questions.set(id, known)
      if (known.answer) return known.answer
      await artefacts.put('proposal', question.proposal, { name, revision })
      throw new Suspended([question])
    },
    waitedMs: () => Promise.resolve(0),
  }
}
