import { listenForInterrupts } from './interrupts.js'
import { fakeScreen } from './testing/fake-screen.js'

describe('interrupts', () => {
  it('ask politely at the first signal, and take one that comes twice at once for one', () => {
    const interrupts = listenForInterrupts(fakeScreen())
    expect(interrupts.signal.aborted).toBe(false)
    process.emit('SIGINT')
    expect(interrupts.signal.aborted).toBe(true)
    // Were it taken for a second one, this process would end here.
    process.emit('SIGINT')
    interrupts.release()
  })

  it('leave the signals alone after their release', () => {
    const before = process.listenerCount('SIGTERM')
    const interrupts = listenForInterrupts(fakeScreen())
    expect(process.listenerCount('SIGTERM')).toBe(before + 1)
    interrupts.release()
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
