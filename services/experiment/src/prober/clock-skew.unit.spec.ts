import { type SampleLine } from '@ordeal/prober'
import { createSkewMeter, onClusterClock } from './clock-skew.js'

/** Lines of a prober that is `ahead`, one every 100 ms, each answered after 5 ms, until `now` by our clock. */
const linesUntil = (now: number, ahead: number, timed = true): SampleLine[] => {
  const count = Math.floor((now - 5) / 100) + 1
  return Array.from({ length: count }, (_, i) => ({
    probe: 'front',
    at: i * 100 + ahead,
    ok: true,
    latencyMs: timed ? 5 : null,
    value: 200,
    error: null,
  }))
}

function skewAfter(ahead: number, looks: readonly number[], timed = true): number {
  const meter = createSkewMeter()
  for (const at of looks) meter.note({ askedAt: at, answeredAt: at + 20, lines: linesUntil(at, ahead, timed) })
  return meter.skewMs()
}
const LOOKS = [1000, 2013, 3027, 4043, 5061]

describe('createSkewMeter', () => {
  it('takes clocks that agree within what can be told for one', () => {
    expect(skewAfter(0, LOOKS)).toBe(0)
    expect(skewAfter(0, [])).toBe(0)
    expect(skewAfter(0, [1000])).toBe(0)
  })
  it.each([3000, -3000, 500, -500])('finds a clock that is %s ms ahead, to a tenth of a second', (ahead) => {
    expect(Math.abs(skewAfter(ahead, LOOKS) - ahead)).toBeLessThan(100)
  })
  it('takes what it has from a single look: a prober can be ahead for certain, but not behind', () => {
    expect(skewAfter(3000, [1000])).toBeGreaterThan(2500)
    expect(skewAfter(-3000, [1000])).toBe(0)
  })
  it('does not mistake slow readings for a clock that is ahead', () => {
    expect(skewAfter(0, LOOKS, false)).toBe(0)
  })
})

describe('onClusterClock', () => {
  it('moves samples to when they were due by the other clock', () => {
    expect(onClusterClock(linesUntil(106, 3000), 3000).map((s) => s.at)).toEqual([0, 100])
  })
})
