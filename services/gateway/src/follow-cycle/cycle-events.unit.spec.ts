import { type CycleEvent } from '../api/contract.js'
import { cycleEvents, type EventLog } from './cycle-events.js'
import { WakeUps } from './wake-ups.js'

const event = (sequence: number, type: CycleEvent['type'] = 'progress'): CycleEvent => ({
  sequence,
  type,
  occurredAt: '2026-01-01T00:00:00.000Z',
  revision: 0,
  data: {},
})

/** A log that grows by one batch at each wait, and is finished with the last one. */
function growingLog(...batches: CycleEvent[][]): EventLog & { waits: number } {
  const events: CycleEvent[] = []
  let grown = 0
  const grow = (): void => void events.push(...(batches[grown++] ?? []))
  grow()
  return {
    waits: 0,
    read: (after, limit) =>
      Promise.resolve({
        events: events.filter((e) => e.sequence > after).slice(0, limit),
        finished: grown >= batches.length,
      }),
    wait() {
      this.waits += 1
      grow()
      return Promise.resolve()
    },
  }
}

const idsOf = async (log: EventLog, after = 0, signal = new AbortController().signal): Promise<number[]> => {
  const ids: number[] = []
  for await (const frame of cycleEvents(log, after, signal)) {
    const id = /^id: (\d+)$/m.exec(frame)?.[1]
    if (id) ids.push(Number(id))
  }
  return ids
}

describe('event stream of a cycle', () => {
  it('sends every event in order as it comes, and ends with the cycle', async () => {
    const log = growingLog([event(1)], [event(2), event(3)], [event(4, 'cycle.finished')])
    await expect(idsOf(log)).resolves.toEqual([1, 2, 3, 4])
    expect(log.waits).toBe(2)
  })

  it('is taken up after the last event that was seen', async () => {
    await expect(idsOf(growingLog([event(1), event(2), event(3)]), 2)).resolves.toEqual([3])
  })

  it('sends more events than are read at once', async () => {
    const many = Array.from({ length: 450 }, (_, index) => event(index + 1))
    await expect(idsOf(growingLog(many))).resolves.toHaveLength(450)
  })

  it('ends when its reader is gone', async () => {
    await expect(idsOf(growingLog([event(1)], [event(2)]), 0, AbortSignal.abort())).resolves.toEqual([])
  })
})

describe('wake-ups', () => {
  const never = new AbortController().signal
  const LONG = 60_000

  it('keeps news that came while nobody waited', async () => {
    const wakeUps = new WakeUps()
    const watch = wakeUps.watch('cyc-a')
    wakeUps.announce('cyc-a')
    await watch.wait(LONG, never)
    watch.close()
  })

  it('wakes those who wait for this cycle, and everybody when news may have been missed', async () => {
    const wakeUps = new WakeUps()
    const [a, b] = [wakeUps.watch('cyc-a'), wakeUps.watch('cyc-b')]
    const woken: string[] = []
    const waits = [a.wait(LONG, never).then(() => woken.push('a')), b.wait(LONG, never).then(() => woken.push('b'))]
    wakeUps.announce('cyc-b')
    await waits[1]
    expect(woken).toEqual(['b'])
    wakeUps.announce('')
    await Promise.all(waits)
    expect(woken).toEqual(['b', 'a'])
    a.close()
    b.close()
  })

  it('stops waiting when the reader is gone', async () => {
    const gone = new AbortController()
    const watch = new WakeUps().watch('cyc-a')
    const waiting = watch.wait(LONG, gone.signal)
    gone.abort()
    await waiting
    watch.close()
  })
})
