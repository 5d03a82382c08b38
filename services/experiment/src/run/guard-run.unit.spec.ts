import { type SampleLine } from '@ordeal/prober'
import { parseGuard } from '@ordeal/shared'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { tripped, watchesOf } from './guard-run.js'

const { steadyStates } = hypothesisFor(deploymentApp('front', 1))
const SINCE = 1_000_000

/** Ten samples a second since the fault: `.` for a good one, `x` for a failed one, `s` for a slow one. */
const line = (letters: string, probe = 'front-answers'): SampleLine[] =>
  [...letters].map((letter, index) => ({
    probe,
    at: SINCE + index * 100,
    ok: letter !== 'x',
    latencyMs: letter === 's' ? 900 : 5,
    value: 200,
    error: null,
  }))

const trips = (guard: string, samples: readonly SampleLine[]): string | null =>
  tripped(watchesOf([parseGuard(guard)], steadyStates), samples, SINCE)

describe('a guard', () => {
  it('trips when availability was too low for long enough, and not before', () => {
    expect(trips('availability<50% for 1s', line('x'.repeat(10)))).toBeNull()
    expect(trips('availability<50% for 1s', line('x'.repeat(11)))).toBe(
      "front-answers: 0 % good within 1 s (guard 'availability<50% for 1s')",
    )
    expect(trips('availability<50% for 1s', line(`${'x'.repeat(8)}${'.'.repeat(8)}`))).toBeNull()
    expect(trips('availability<50% for 1s', line('.x'.repeat(10)))).toBeNull()
  })
  it('trips on failures in a row, only while they last', () => {
    expect(trips('5 failures in a row', line('....xxxx'))).toBeNull()
    expect(trips('5 failures in a row', line('....xxxxx'))).toContain('5 failures in a row')
    expect(trips('5 failures in a row', line('xxxxx.'))).toBeNull()
  })
  it('takes an answer that is slower than its threshold for a failed one', () => {
    const states = steadyStates.map((s) => ({ ...s, threshold: { ...s.threshold, maxLatencyMs: 500 } }))
    const watches = watchesOf([parseGuard('3 failures in a row')], states)
    expect(tripped(watches, line('sss'), SINCE)).not.toBeNull()
  })
  it('watches what a user sees, or the one that it names', () => {
    const component = line('x'.repeat(30), 'front-ready')
    expect(trips('3 failures in a row', component)).toBeNull()
    expect(trips('front-ready: 3 failures in a row', component)).toContain('front-ready')
  })
  it('looks at nothing from before the fault', () => {
    expect(tripped(watchesOf([parseGuard('3 failures in a row')], steadyStates), line('xxx'), SINCE + 100)).toBeNull()
  })
  it('that names a steady state which is not there is refused with those that are', () => {
    expect(() => trips('back: 3 failures in a row', [])).toThrow(/watches nothing.*front-answers, front-ready/)
  })
})
