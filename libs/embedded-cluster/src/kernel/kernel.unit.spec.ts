import fc from 'fast-check'
import { Kernel, type Timer } from './kernel.js'

/** Takes functions, which the engine itself never schedules. */
class TestKernel extends Kernel {
  run(timeMs: number, run: () => void): Timer {
    return this.at(timeMs, { run }, 'run')
  }
}

const newKernel = (seed = 1): TestKernel => new TestKernel({ startMs: 0, seed })

describe('Kernel', () => {
  it('runs events by time, and those of one instant in the order in which they were scheduled', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 }), (times) => {
        const kernel = newKernel()
        const ran: [number, number][] = []
        times.forEach((time, index) => kernel.run(time, () => ran.push([time, index])))
        kernel.runUntil(100)
        const expected = times.map((time, index): [number, number] => [time, index]).sort((a, b) => a[0] - b[0])
        expect(ran).toEqual(expected)
      }),
    )
  })

  it('keeps that order when timers are cancelled and scheduled from within events', () => {
    const step = fc.record({ delay: fc.integer({ min: 0, max: 9 }), cancel: fc.option(fc.nat(), { nil: null }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const kernel = newKernel()
        const timers: { time: number; cancelled: boolean; cancel: () => void }[] = []
        const ran: number[] = []
        for (const { delay, cancel } of steps) {
          kernel.run(delay, () => {
            const index = timers.length
            const timer = kernel.run(kernel.now + delay, () => ran.push(index))
            timers.push({ time: timer.time, cancelled: false, cancel: () => timer.cancel() })
            const victim = cancel === null ? undefined : timers[cancel % timers.length]
            if (!victim || victim.time <= kernel.now) return
            victim.cancel()
            victim.cancelled = true
          })
        }
        kernel.runUntil(100)
        const expected = timers
          .map((timer, index) => ({ ...timer, index }))
          .filter((timer) => !timer.cancelled)
          .sort((a, b) => a.time - b.time)
        expect(ran.map((index) => timers[index]?.time)).toEqual(expected.map((timer) => timer.time))
        expect([...ran].sort((a, b) => a - b)).toEqual(expected.map((timer) => timer.index).sort((a, b) => a - b))
      }),
    )
  })

  it('sweeps cancelled timers without losing or disordering the others', () => {
    const kernel = newKernel()
    const ran: number[] = []
    const timers = Array.from({ length: 10_000 }, (_, i) => kernel.run((i * 7919) % 10_007, () => ran.push(i)))
    timers.forEach((timer, i) => i % 5 !== 0 && timer.cancel())
    expect(kernel.runUntil(20_000)).toBe('reached')
    const kept = timers.flatMap((timer, i) => (i % 5 === 0 ? [{ i, time: timer.time }] : []))
    expect(ran).toEqual(kept.sort((a, b) => a.time - b.time).map(({ i }) => i))
    expect(kernel.eventsRun).toBe(2_000)
  })

  it('stands still outside a run and ends it at the time asked for', () => {
    const kernel = newKernel()
    kernel.run(5, () => undefined)
    expect([kernel.now, kernel.nextAt]).toEqual([0, 5])
    expect(kernel.runUntil(3)).toBe('reached')
    expect([kernel.now, kernel.nextAt]).toEqual([3, 5])
    expect(kernel.runUntil(9)).toBe('reached')
    expect([kernel.now, kernel.nextAt]).toEqual([9, null])
  })

  it('finishes an instant before it stops', () => {
    const kernel = newKernel()
    const ran: string[] = []
    kernel.run(5, () => {
      ran.push('first')
      kernel.run(kernel.now, () => ran.push('third'))
    })
    kernel.run(5, () => ran.push('second'))
    kernel.run(6, () => ran.push('later'))
    expect(kernel.runUntil(100, { stop: () => ran.includes('first') })).toBe('stopped')
    expect(ran).toEqual(['first', 'second', 'third'])
    expect(kernel.now).toBe(5)
  })

  it('pauses after a number of events and goes on where it was', () => {
    const kernel = newKernel()
    const ran: number[] = []
    for (let i = 0; i < 5; i++) kernel.run(i, () => ran.push(i))
    expect(kernel.runUntil(10, { maxEvents: 2 })).toBe('paused')
    expect(ran).toEqual([0, 1])
    expect(kernel.runUntil(10)).toBe('reached')
    expect(ran).toEqual([0, 1, 2, 3, 4])
  })

  it('takes a time that has passed as now', () => {
    const kernel = newKernel()
    kernel.runUntil(50)
    expect(kernel.run(10, () => undefined).time).toBe(50)
  })

  it('passes the error of an event on and can go on afterwards', () => {
    const kernel = newKernel()
    const ran: string[] = []
    kernel.run(1, () => {
      throw new Error('broken event')
    })
    kernel.run(2, () => ran.push('next'))
    expect(() => kernel.runUntil(10)).toThrow('broken event')
    expect(kernel.runUntil(10)).toBe('reached')
    expect(ran).toEqual(['next'])
  })

  it('refuses to be run from within an event', () => {
    const kernel = newKernel()
    kernel.run(1, () => kernel.runUntil(5))
    expect(() => kernel.runUntil(10)).toThrow('already running')
  })

  it('gives the same history for the same seed, and another for another', () => {
    const history = (seed: number): number[] => {
      const kernel = newKernel(seed)
      const times: number[] = []
      const next = (): void => {
        times.push(kernel.now)
        kernel.run(kernel.now + kernel.stream('arrivals').exponential(10), next)
      }
      kernel.run(0, next)
      kernel.runUntil(1_000)
      return times
    }
    expect(history(7)).toEqual(history(7))
    expect(history(7)).not.toEqual(history(8))
  })
})
