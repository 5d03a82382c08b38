import { exitCodeOf } from './exit-code.js'
import { sampleResults } from './testing/sample-results.js'

const ended = (outcome: ReturnType<typeof sampleResults>['cycle']['outcome']): ReturnType<typeof sampleResults> => {
  const results = sampleResults()
  return { ...results, cycle: { ...results.cycle, outcome } }
}

describe('exit code', () => {
  it.each([
    ['resilient', 0],
    ['improved', 0],
    ['failed', 1],
    ['vulnerable', 2],
    ['inconclusive', 3],
    ['cancelled', 130],
  ] as const)('of a cycle that is %s is %d', (outcome, code) => {
    expect(exitCodeOf(ended(outcome), null)).toBe(code)
  })

  it('is 2 for an improved application when refuted manifests are to fail', () => {
    expect(exitCodeOf(ended('improved'), 'refuted')).toBe(2)
  })

  it('is 0 for a resilient application even when refuted manifests are to fail', () => {
    const resilient = ended('resilient')
    const held = { ...resilient, runs: resilient.runs.slice(1).map((run) => ({ ...run, revision: 0 })) }
    expect(exitCodeOf(held, 'refuted')).toBe(0)
  })
})
