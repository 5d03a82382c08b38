import { nextHop, startTrace } from './trace.js'

describe('traces', () => {
  it('keep one trace id over all hops, with a new span each', () => {
    const { traceId, traceparent } = startTrace()
    const next = nextHop(traceparent)
    expect(next.split('-')[1]).toBe(traceId)
    expect(next).not.toBe(traceparent)
  })

  it('take up a caller’s trace, and not what is none', () => {
    const incoming = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    expect(startTrace(incoming).traceId).toBe('a'.repeat(32))
    expect(startTrace('<script>').traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(nextHop('garbage')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })
})
