import { jest } from '@jest/globals'
import { EventEmitter } from 'node:events'
import { listenForInterrupts } from './interrupts.js'
import { fakeScreen } from './testing/fake-screen.js'

/** A process to which signals come that are none of this one's. */
class FakeProcess extends EventEmitter {
  readonly exits: number[] = []
  held = true
  readonly channel = { unref: () => (this.held = false) }
  exit(code: number): void {
    this.exits.push(code)
  }
}

describe('interrupts', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'])('ask politely at the first %s', (name) => {
    const target = new FakeProcess()
    const interrupts = listenForInterrupts(fakeScreen(), target)
    expect(interrupts.signal.aborted).toBe(false)
    target.emit(name)
    expect(interrupts.signal.aborted).toBe(true)
  })

  it('take a signal that comes twice at once for one', () => {
    const target = new FakeProcess()
    listenForInterrupts(fakeScreen(), target)
    target.emit('SIGINT')
    target.emit('SIGINT')
    expect(target.exits).toEqual([])
  })

  it('end the process at a second one that is meant', () => {
    const target = new FakeProcess()
    const now = jest.spyOn(performance, 'now')
    listenForInterrupts(fakeScreen(), target)
    now.mockReturnValue(1000)
    target.emit('SIGINT')
    now.mockReturnValue(1600)
    target.emit('SIGINT')
    now.mockRestore()
    expect(target.exits).toEqual([130])
  })

  it('leave the signals alone after their release, and never keep the process alive', () => {
    const target = new FakeProcess()
    listenForInterrupts(fakeScreen(), target).release()
    expect(target.eventNames()).toEqual([])
    expect(target.held).toBe(false)
  })
})
