import { startAll, stopAll, type Stoppable } from './together.js'

const server = (): Stoppable & { stopped: boolean } => ({
  stopped: false,
  stop() {
    this.stopped = true
    return Promise.resolve()
  },
})

describe('starting together', () => {
  it('gives all in order', async () => {
    const [a, b] = [server(), server()]
    await expect(startAll([Promise.resolve(a), Promise.resolve(b)])).resolves.toEqual([a, b])
    expect([a.stopped, b.stopped]).toEqual([false, false])
  })

  it('leaves nothing running when one fails, also what comes up after the failure', async () => {
    const late = server()
    const slow = Promise.withResolvers<Stoppable>()
    const starting = startAll([Promise.reject(new Error('no port')), slow.promise])
    slow.resolve(late)
    await expect(starting).rejects.toThrow('no port')
    expect(late.stopped).toBe(true)
  })
})

describe('stopping together', () => {
  it('stops the others when one fails, and tells of the failure', async () => {
    const other = server()
    const stuck = { stop: () => Promise.reject(new Error('stuck')) }
    await expect(stopAll([stuck, other])).rejects.toThrow('stuck')
    expect(other.stopped).toBe(true)
  })
})
