import { compareAll, openCorpus, partOf, recordAll } from './conformance.js'

/** Each day another part of the corpus runs on the real cluster. */
const PARTS = 8
const DAY_MS = 86_400_000
const LANES = 4
const WITHIN_MS = 300_000

describe('the embedded cluster', () => {
  it(
    'does what a real cluster does now, in the part of the corpus that is due',
    async () => {
      const corpus = await openCorpus()
      const due = partOf(corpus.scenarios, { number: Math.floor(Date.now() / DAY_MS), of: PARTS })
      const context = process.env.ORDEAL_TEST_CONTEXT ?? ''
      const signal = AbortSignal.timeout(WITHIN_MS)
      const traces = await recordAll(due, { context, lanes: LANES, signal, done: () => Promise.resolve() })
      const real = ({ name }: { name: string }) => {
        const trace = traces.get(name)
        return trace ? Promise.resolve(trace) : Promise.reject(new Error(`${name} did not run`))
      }
      expect((await compareAll(corpus, due, real)).unexplained).toEqual([])
    },
    WITHIN_MS + 120_000,
  )
})
