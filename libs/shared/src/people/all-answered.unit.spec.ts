import { Suspended } from '../errors.js'
import { type Question } from '../service/definition.js'
import { allAnswered } from './all-answered.js'

const question = (title: string): Question => ({
  proposal: {
    what: 'hypothesis',
    revision: 0,
    round: 1,
    title,
    text: '',
    document: null,
    form: {},
    decisions: ['approve', 'reject'],
    problems: [],
  },
  terms: { timeoutMs: 1000, byDefault: 'reject' },
})

describe('all that is asked at once', () => {
  it('gives all results', async () => {
    await expect(allAnswered([Promise.resolve(1), Promise.resolve('two')])).resolves.toEqual([1, 'two'])
  })

  it('asks people everything at once, after all else is done', async () => {
    let isDone = false
    const slow = new Promise((resolve) => setImmediate(resolve)).then(() => (isDone = true))
    const asked = allAnswered([
      Promise.reject(new Suspended([question('a')])),
      slow,
      Promise.reject(new Suspended([question('b')])),
    ])
    await expect(asked).rejects.toMatchObject({ questions: [question('a'), question('b')] })
    expect(isDone).toBe(true)
  })

  it('fails before it asks', async () => {
    const asked = allAnswered([Promise.reject(new Suspended([question('a')])), Promise.reject(new Error('broken'))])
    await expect(asked).rejects.toThrow('broken')
  })
})
