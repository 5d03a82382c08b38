import { AbortedError } from '@ordeal/shared'
import { createWallClock, type WatchPath } from './wall-clock.js'

const signal = new AbortController().signal
const silent: WatchPath = () => undefined

describe('createWallClock', () => {
  it('looks at once', async () => {
    const wait = { what: 'it', withinMs: 10_000, watch: [], check: () => Promise.resolve(7) }
    expect(await createWallClock(silent).waitFor(wait, signal)).toBe(7)
  })
  it('looks again when a watch reports a change, and ends the watch', async () => {
    let there: true | undefined
    let watching: AbortSignal | undefined
    const watch: WatchPath = (_path, changed, until) => {
      watching = until
      queueMicrotask(() => {
        there = true
        changed()
      })
    }
    const wait = { what: 'it', withinMs: 60_000, everyMs: 60_000, watch: ['/p'], check: () => Promise.resolve(there) }
    expect(await createWallClock(watch).waitFor(wait, signal)).toBe(true)
    expect(watching?.aborted).toBe(true)
  })
  it('says what did not come', async () => {
    const wait = { what: 'a miracle', withinMs: 5, watch: [], check: () => Promise.resolve(undefined) }
    await expect(createWallClock(silent).waitFor(wait, signal)).rejects.toThrow('a miracle did not come within')
  })
  it('ends any wait with the reason of the abort', async () => {
    const controller = new AbortController()
    const clock = createWallClock(silent)
    const never = { what: 'it', withinMs: 60_000, watch: [], check: () => Promise.resolve(undefined) }
    const waits = [clock.waitFor(never, controller.signal), clock.waitUntil(Date.now() + 60_000, controller.signal)]
    controller.abort(new AbortedError('cancelled'))
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'aborted-cancelled' })
  })
  it('does not wait for what is past', async () => {
    await createWallClock(silent).waitUntil(Date.now() - 1, signal)
  })
})
