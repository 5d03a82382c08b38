import { jest } from '@jest/globals'
import { type CycleEvent } from '@ordeal/gateway/contract'
import { Overdue } from './overdue.js'

const event = (type: CycleEvent['type'], data: Record<string, unknown> = {}): CycleEvent => ({
  ...{ sequence: 1, type, occurredAt: '2026-01-01T00:00:00Z', revision: 0 },
  data: { proposal: 'a', ...data },
})
const asked = (waitMs: number): CycleEvent =>
  event('approval.requested', { expiresAt: new Date(Date.now() + waitMs).toISOString() })

describe('the time that a cycle has', () => {
  let isOver = false
  beforeEach(() => {
    isOver = false
    jest.useFakeTimers()
  })
  afterEach(() => {
    jest.useRealTimers()
  })
  const start = (): Overdue => new Overdue(10_000, 1000, () => (isOver = true))

  it('ends after the grace', () => {
    start()
    jest.advanceTimersByTime(10_999)
    expect(isOver).toBe(false)
    jest.advanceTimersByTime(1)
    expect(isOver).toBe(true)
  })

  it('stands still while people are asked', () => {
    const overdue = start()
    jest.advanceTimersByTime(6000)
    overdue.see(asked(3_600_000))
    jest.advanceTimersByTime(3_000_000)
    overdue.see(event('approval.given'))
    jest.advanceTimersByTime(4999)
    expect(isOver).toBe(false)
    jest.advanceTimersByTime(1)
    expect(isOver).toBe(true)
  })

  it('ends when a question outlives its own time', () => {
    start().see(asked(60_000))
    jest.advanceTimersByTime(60_999)
    expect(isOver).toBe(false)
    jest.advanceTimersByTime(1)
    expect(isOver).toBe(true)
  })
})
