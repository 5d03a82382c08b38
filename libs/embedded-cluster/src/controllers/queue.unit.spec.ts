import { Kernel } from '../kernel/kernel.js'
import { ApiError } from '../store/api-error.js'
import { WorkQueue } from './queue.js'

function started(work: (key: string, time: number) => 'retry' | void) {
  const kernel = new Kernel({ startMs: 0, seed: 1 })
  const times: number[] = []
  const reconcile = (key: string) => {
    times.push(kernel.now)
    return work(key, times.length)
  }
  const queue = new WorkQueue(kernel, 'test', { reconcile })
  return { kernel, queue, times }
}

describe('a work queue', () => {
  it('works on a key once however often it was added, soon', () => {
    const { kernel, queue, times } = started(() => undefined)
    for (let i = 0; i < 5; i++) queue.add('a')
    kernel.runUntil(1000)
    expect(times).toHaveLength(1)
    expect(times[0]).toBeLessThanOrEqual(20)
  })

  it('keeps the earlier of two appointments', () => {
    const { kernel, queue, times } = started(() => undefined)
    queue.addAfter('a', 500)
    queue.addAfter('a', 100)
    queue.addAfter('a', 300)
    kernel.runUntil(1000)
    expect(times).toEqual([100])
  })

  it('tries again with doubling delays what the API refused or the work asks for', () => {
    const refused = new ApiError(409, 'Conflict', 'no')
    const { kernel, queue, times } = started((_, round) => {
      if (round === 1) throw refused
      return round < 4 ? 'retry' : undefined
    })
    queue.addAfter('a', 10)
    kernel.runUntil(1000)
    expect(times).toEqual([10, 15, 25, 45])
  })

  it('lets a bug through', () => {
    const { kernel, queue } = started(() => {
      throw new TypeError('bug')
    })
    queue.add('a')
    expect(() => kernel.runUntil(1000)).toThrow('bug')
  })
})
