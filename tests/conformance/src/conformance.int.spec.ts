import { compareAll, openCorpus, recorded, TRACES } from './conformance.js'
import { strayTraces } from './traces.js'

/** Scenarios that must at least be there. */
const LEAST = 60

describe('the embedded cluster', () => {
  it('does in every scenario what a real one was seen to do, but for what is known and explained', async () => {
    const corpus = await openCorpus()
    expect(corpus.scenarios.length).toBeGreaterThanOrEqual(LEAST)
    expect(
      await strayTraces(
        TRACES,
        corpus.scenarios.map(({ name }) => name),
      ),
    ).toEqual([])
    const { unexplained, unused } = await compareAll(corpus, corpus.scenarios, recorded)
    expect(unexplained).toEqual([])
    expect(unused).toEqual([])
  }, 180_000)
})
