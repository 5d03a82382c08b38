import { compareNow, openCorpus, partOf } from './conformance.js'

/** Each day another part of the corpus runs on the real cluster. */
const PARTS = 2
const DAY_MS = 86_400_000
const LANES = 4
const WITHIN_MS = 540_000

describe('the embedded cluster', () => {
  it(
    'does what a real cluster does now, in the part of the corpus that is due',
    async () => {
      const corpus = await openCorpus()
      const due = partOf(corpus.scenarios, { number: Math.floor(Date.now() / DAY_MS), of: PARTS })
      const context = process.env.ORDEAL_TEST_CONTEXT ?? ''
      const verdict = await compareNow(corpus, due, { context, lanes: LANES, signal: AbortSignal.timeout(WITHIN_MS) })
      expect(verdict.unexplained).toEqual([])
    },
    WITHIN_MS + 60_000,
  )
})
