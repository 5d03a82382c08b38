import { RetryableError, TerminalError } from '../errors.js'
import { StoreUnavailableError } from '../store/errors.js'
import { settlementOf } from './settlement.js'

const policy = { ackWaitMs: 1000, delaysMs: [200, 1000, 5000] }

describe('settlementOf', () => {
  it('sends a terminal failure to the dead letters at once', () => {
    expect(settlementOf(new TerminalError('no-sense', 'why'), 1, policy)).toEqual({
      kind: 'dead',
      code: 'no-sense',
      reason: 'why',
    })
  })

  it('delays a bug by the curve of its event and gives up after it', () => {
    const kinds = [1, 2, 3, 4].map((n) => settlementOf(new Error('x is undefined'), n, policy))
    expect(kinds.slice(0, 3).map((s) => s.kind === 'retry' && s.delayMs)).toEqual([200, 1000, 5000])
    expect(kinds[3]).toEqual({ kind: 'dead', code: 'bug', reason: 'x is undefined' })
  })

  it('waits at least as long as a retryable failure asks for', () => {
    const busy = new RetryableError('busy', 'later', { retryAfterMs: 3000 })
    expect(settlementOf(busy, 1, policy)).toMatchObject({ kind: 'retry', delayMs: 3000 })
    expect(settlementOf(busy, 4, policy)).toMatchObject({ kind: 'dead', code: 'busy' })
  })

  it('never gives up while the store is out', () => {
    expect(settlementOf(new StoreUnavailableError('down'), 99, policy)).toMatchObject({ kind: 'retry', delayMs: 5000 })
  })

  it('takes whatever is thrown', () => {
    expect(settlementOf('oops', 4, policy)).toEqual({ kind: 'dead', code: 'bug', reason: 'oops' })
  })
})
