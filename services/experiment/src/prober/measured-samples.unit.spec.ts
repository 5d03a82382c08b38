import { type SampleLine } from '@ordeal/prober'
import { measured } from './measured-samples.js'

const line = (at: number, error: string | null): SampleLine => ({
  probe: 'front',
  at,
  ok: error === null,
  latencyMs: null,
  value: null,
  error,
})

describe('measured', () => {
  it('orders samples by when they were due, failed ones included', () => {
    expect(measured([line(200, 'status 503'), line(100, null)]).map((s) => [s.at, s.ok])).toEqual([
      [100, true],
      [200, false],
    ])
  })
  it('does not blame the application for what the prober itself missed', () => {
    const lines = [line(100, null), line(200, 'prober: late by 300 ms'), line(300, 'no answer within 2000 ms')]
    expect(measured(lines).map((s) => s.at)).toEqual([100, 300])
  })
})
