import { outcomeSchema } from '@ordeal/shared'
import { cancelled, failed, improved, inconclusive, inputOf, resilient, silent, vulnerable } from './fixtures.spec.js'
import { tellStory } from './story.js'

const words = (lines: readonly string[]): string => lines.join('\n')

describe('tellStory', () => {
  it.each(outcomeSchema.options)('has a headline, what happened and a next step for %s', (outcome) => {
    const story = tellStory(inputOf({}, { outcome }))
    expect(story.headline).not.toBe('')
    expect(story.happened.length).toBeGreaterThan(0)
    expect(story.changed.length).toBeGreaterThan(0)
    expect(story.next.length).toBeGreaterThan(0)
  })

  it('tells an improved cycle as break, change, proof', () => {
    const { happened, changed, next } = tellStory(improved())
    expect(words(happened)).toMatch(/A pod of web fails.*kill one pod of Pod\/web/)
    expect(words(happened)).toMatch(
      /2 of 2 steady states failed: “Users get an answer from Service\/web” during the fault \(no answer/,
    )
    expect(words(happened)).toMatch(/revision r2: all 2 steady states held/)
    expect(changed).toHaveLength(3)
    expect(next[0]?.command).toBe('patch -p1 < changes.patch')
  })

  it('calls a verdict of the embedded cluster a forecast, and one of a real cluster not', () => {
    expect(tellStory(improved()).caveat?.title).toBe('Forecast.')
    expect(tellStory(resilient()).caveat).toBeNull()
  })

  it('never says that a vulnerable application holds', () => {
    const { headline, changed } = tellStory(vulnerable())
    expect(headline).toMatch(/breaks under “A pod of web fails”, and no change that was tried/)
    expect(changed).toEqual(['Nothing: 1 change tried, none made every steady state hold.'])
  })

  it.each([
    ['a broken baseline', inconclusive(), /did not work before any fault/],
    ['a silent fault', silent(), /nothing changed at its target/],
    ['a lost cluster', failed(), /connection to the cluster was lost/],
    ['a cancelled cycle', cancelled(), /Somebody stopped/],
    ['a code of its own', inputOf({}, { outcome: 'failed', reason: 'constructor' }), /stopped: constructor/],
  ])('says why there is no verdict after %s', (_case, input, why) => {
    const { headline, happened } = tellStory(input)
    expect(words([headline, ...happened])).toMatch(why)
  })

  it('does not claim that something was tested when no run took place', () => {
    expect(words(tellStory(cancelled()).happened)).toMatch(/Planned, but not run/)
  })
})
