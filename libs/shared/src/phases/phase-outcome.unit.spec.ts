import { AbortedError, RetryableError, TerminalError } from '../errors.js'
import { outcomeOfError } from './phase-outcome.js'

describe('outcomeOfError', () => {
  it.each([
    ['cancelled', { kind: 'cancelled' }],
    ['stopping', { kind: 'released' }],
    ['lease-lost', { kind: 'lost' }],
  ] as const)('takes whatever a phase that was aborted (%s) throws as its consequence', (reason, outcome) => {
    expect(outcomeOfError(new Error('socket closed'), 0, reason)).toEqual(outcome)
    expect(outcomeOfError(new AbortedError(reason), 9, null)).toEqual(outcome)
  })

  it('fails at once on a terminal error', () => {
    expect(outcomeOfError(new TerminalError('no-way', 'why'), 0, null)).toEqual({
      kind: 'failed',
      code: 'no-way',
      message: 'why',
    })
  })

  it('waits longer from attempt to attempt, never less than asked, and ends', () => {
    const busy = new RetryableError('busy', 'later', { retryAfterMs: 700 })
    const outcomes = Array.from({ length: 10 }, (_, failures) => outcomeOfError(busy, failures, null))
    const delays = outcomes.slice(0, 9).map((outcome) => (outcome.kind === 'retry' ? outcome.delayMs : -1))
    expect(delays).toEqual([700, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    expect(outcomes[9]).toEqual({ kind: 'failed', code: 'busy', message: 'later' })
  })

  it('gives a bug three attempts', () => {
    const kinds = [0, 1, 2].map((failures) => outcomeOfError(new TypeError('x'), failures, null).kind)
    expect(kinds).toEqual(['retry', 'retry', 'failed'])
    expect(outcomeOfError(new TypeError('x'), 2, null)).toMatchObject({ code: 'bug' })
  })
})
