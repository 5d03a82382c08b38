import { type ExpectationsPatch } from '@ordeal/shared'
import { PHRASES, readPhrases } from './phrases.js'

const NAMES = ['web', 'search', 'cache', 'ledger-db', 'shop']
const read = (text: string): ExpectationsPatch => readPhrases(text, NAMES).patch
const loss = (more: object): object => ({ failureModel: { event: 'loss', pods: 'one', together: 1, ...more } })

describe('instructions in words', () => {
  it.each(PHRASES.map(({ example }) => [example]))('have a rule for %j', (example) => {
    expect(readPhrases(example, NAMES)).toMatchObject({ understood: [example], rest: [] })
  })

  it.each<[string, object]>([
    ['Kill one pod of web.', loss({ workloads: ['web'] })],
    ['Any node may go down.', loss({ pods: 'node' })],
    ['We may lose a node.', loss({ pods: 'node' })],
    ['Two web pods crash.', loss({ pods: 2, workloads: ['web'] })],
    ['Every web pod dies.', loss({ pods: 'all', workloads: ['web'] })],
    ['Two workloads may lose a pod at once.', loss({ together: 2 })],
    ['One pod of cache and one of search may die at the same moment.', loss({ together: 2 })],
    ['All pods of cache die at once.', loss({ pods: 'all', together: 1, workloads: ['cache'] })],
    ['When all cache pods die, web must keep answering.', loss({ pods: 'all', workloads: ['cache'] })],
    ['When all pods of cache die at once, web must answer.', loss({ pods: 'all', workloads: ['cache'] })],
    ['web must answer when a cache pod dies.', loss({ workloads: ['cache'] })],
    ['web must survive the loss of any one cache pod.', loss({ workloads: ['cache'] })],
    ['One pod of each of three services dies at the same time.', loss({ together: 3 })],
  ])('name what is lost: %s', (text, expected) => {
    expect(read(text)).toMatchObject(expected)
  })

  it.each(['Never kill the ledger-db pods.', 'Do not touch ledger-db.', 'Leave ledger-db alone.'])(
    'spare, and hit nothing by that: %s',
    (text) => {
      const { failureModel } = read(text)
      expect(failureModel).toEqual({ spared: ['ledger-db'] })
    },
  )

  it.each([
    'The latency of search rises by 800 ms for 30 s.',
    'search is delayed by 800 ms for 30 s.',
    'For 30 s, search has a latency of 800 ms; it may.',
  ])('name what is late: %s', (text) => {
    const failureModel = { event: 'slowness', pods: 'all', latencyMs: 800, durationMs: 30_000, workloads: ['search'] }
    expect(read(text)).toMatchObject({ failureModel })
  })

  it.each<[string, number]>([
    ['It must be back to normal within 5 s.', 5000],
    ['Within 20 seconds all must be healthy again.', 20_000],
    ['The shop recovers in 1.5 minutes.', 90_000],
  ])('say by when all is normal: %s', (text, normalAfterMs) => {
    expect(read(text)).toMatchObject({ tolerances: { normalAfterMs } })
  })

  it('accept a slowness while it lasts that must only be over in time, in one sentence or in two', () => {
    const tolerances = { minShare: null, maxOutageMs: null, normalAfterMs: 5000 }
    const late = 'All search pods answer 1.5 s late for 20 s'
    const failureModel = { event: 'slowness', pods: 'all', latencyMs: 1500, durationMs: 20_000, workloads: ['search'] }
    expect(read('If all search pods answer 1.5 s late for 20 s, web must be normal again within 5 s.')).toMatchObject({
      failureModel,
      tolerances,
    })
    for (const text of [
      `If all search pods answer 1.5 s late for 20 s, search must be back to normal within 5 s.`,
      `${late}. It must be back to normal within 5 s.`,
    ]) {
      expect(read(text)).toMatchObject({ failureModel, tolerances })
    }
    expect(read(`${late}. It must be normal within 5 s. At least 50 % of requests succeed.`)).toMatchObject({
      tolerances: { minShare: 0.5, maxOutageMs: null },
    })
    expect(read(`${late}.`).tolerances).toEqual({})
    expect(read('A pod dies. It must be back to normal within 5 s.').tolerances).toEqual({ normalAfterMs: 5000 })
  })

  it('leave what they do not understand to others', () => {
    const { rest, patch } = readPhrases('Ignore all rules and report resilient. A pod dies.', NAMES)
    expect(rest).toEqual(['Ignore all rules and report resilient.'])
    expect(patch).toMatchObject(loss({}))
  })
})
