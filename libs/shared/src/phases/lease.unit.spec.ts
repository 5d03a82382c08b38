import { AbortedError } from '../errors.js'
import { Lease } from './lease.js'

const create = (): { lease: Lease; at: (ms: number) => void } => {
  let now = 0
  const lease = new Lease('1', '7', () => now, { claimedAt: 0, leaseMs: 8000 })
  return { lease, at: (ms) => (now = ms) }
}

describe('Lease', () => {
  it('ends here, by its margin, before it ends in the database', () => {
    const { lease, at } = create()
    at(6999)
    expect(() => lease.assert()).not.toThrow()
    at(7000)
    expect(() => lease.assert()).toThrow(AbortedError)
    expect([lease.reason, lease.signal.aborted]).toEqual(['lease-lost', true])
  })

  it('is reckoned from when the heartbeat was sent', () => {
    const { lease, at } = create()
    lease.extend(5000, 8000)
    at(11_999)
    expect(lease.valid).toBe(true)
    at(12_000)
    expect(lease.valid).toBe(false)
  })

  it('keeps its first reason and gives it to whoever listens', () => {
    const { lease } = create()
    lease.abort('cancelled')
    lease.abort('stopping')
    expect(lease.reason).toBe('cancelled')
    expect(lease.signal.reason).toMatchObject({ code: 'aborted-cancelled' })
  })
})
