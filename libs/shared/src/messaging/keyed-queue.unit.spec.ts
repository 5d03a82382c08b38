import { KeyedQueue } from './keyed-queue.js'
import { Slots } from './slots.js'

describe('KeyedQueue', () => {
  it('runs one key in order and another meanwhile', async () => {
    const queue = new KeyedQueue()
    const trail: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = queue.run('a', async () => {
      await gate.promise
      trail.push('a1')
    })
    const second = queue.run('a', () => Promise.resolve(void trail.push('a2')))
    await queue.run('b', () => Promise.resolve(void trail.push('b1')))
    expect(trail).toEqual(['b1'])
    gate.resolve()
    await Promise.all([first, second, queue.idle()])
    expect(trail).toEqual(['b1', 'a1', 'a2'])
  })
})

describe('Slots', () => {
  it('lets as many in as there are, and whoever waits longest next', async () => {
    const slots = new Slots(1)
    const trail: string[] = []
    await slots.take()
    const waits = ['first', 'second'].map((name) => slots.take().then(() => trail.push(name)))
    await Promise.resolve()
    expect(trail).toEqual([])
    slots.give()
    await waits[0]
    expect(trail).toEqual(['first'])
    slots.give()
    await waits[1]
    slots.give()
    await slots.take()
  })
})
