import { type SampleLine } from '@ordeal/prober'
import { measuredSamples } from './measured-samples.js'

const line = (at: number, error: string | null): SampleLine => ({
  probe: 'front',
  at,
  ok: error === null,
  latencyMs: null,
  value: null,
  error,
})
const logOf = (...lines: SampleLine[]) => lines.map((l) => `${JSON.stringify(l)}\n`).join('')

describe('measuredSamples', () => {
  it('orders samples by when they were due, failed ones included', () => {
    const log = logOf(line(200, 'status 503'), line(100, null))
    expect(measuredSamples(log).map((s) => [s.at, s.ok])).toEqual([
      [100, true],
      [200, false],
    ])
  })
  it('does not blame the application for what the prober itself missed', () => {
    const log = logOf(line(100, null), line(200, 'prober: late by 300 ms'), line(300, 'no answer within 2000 ms'))
    expect(measuredSamples(log).map((s) => s.at)).toEqual([100, 300])
  })
  it('refuses a log that holds something else', () => {
    expect(() => measuredSamples('oops\n')).toThrow(/not a sample/)
  })
})
