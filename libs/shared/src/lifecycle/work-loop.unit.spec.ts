import { silentLogger as log } from '../testing/memory-context.js'
import { startWorkLoop, type WorkLoop } from './work-loop.js'

/** A loop whose passes the spec answers one by one. */
function createLoop(idleMs: number): { loop: WorkLoop; pass: () => Promise<(answer: boolean | Error) => void> } {
  const asked: ((answer: (result: boolean | Error) => void) => void)[] = []
  const waiting: ((answer: boolean | Error) => void)[] = []
  const loop = startWorkLoop({
    name: 'spec',
    log,
    idleMs,
    pass: () =>
      new Promise((resolve, reject) => {
        const answer = (result: boolean | Error): void => (result instanceof Error ? reject(result) : resolve(result))
        const next = asked.shift()
        if (next) next(answer)
        else waiting.push(answer)
      }),
  })
  const pass = (): Promise<(answer: boolean | Error) => void> =>
    new Promise((resolve) => {
      const ready = waiting.shift()
      if (ready) resolve(ready)
      else asked.push(resolve)
    })
  return { loop, pass }
}

const AN_HOUR = 3_600_000

describe('startWorkLoop', () => {
  it('passes again at once while there is more, and when woken', async () => {
    const { loop, pass } = createLoop(AN_HOUR)
    ;(await pass())(true)
    ;(await pass())(false)
    loop.wake()
    ;(await pass())(false)
    await loop.stop()
  })

  it('does not lose a wake-up that comes during a pass', async () => {
    const { loop, pass } = createLoop(AN_HOUR)
    const answer = await pass()
    loop.wake()
    answer(false)
    ;(await pass())(false)
    await loop.stop()
  })

  it('passes by itself after the idle time, also after a failure', async () => {
    const { loop, pass } = createLoop(1)
    ;(await pass())(new Error('outage'))
    ;(await pass())(false)
    ;(await pass())(false)
    await loop.stop()
  })

  it('pauses after a failure however often it is woken', async () => {
    const { loop, pass } = createLoop(AN_HOUR)
    ;(await pass())(new Error('outage'))
    let passed = false
    void pass().then(() => (passed = true))
    await new Promise(setImmediate)
    loop.wake()
    await new Promise(setImmediate)
    expect(passed).toBe(false)
    await loop.stop()
  })

  it('ends after the pass that runs', async () => {
    const { loop, pass } = createLoop(AN_HOUR)
    const answer = await pass()
    let stopped = false
    const stopping = loop.stop().then(() => (stopped = true))
    await new Promise(setImmediate)
    expect(stopped).toBe(false)
    answer(true)
    await stopping
  })
})
