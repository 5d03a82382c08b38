import { randomBytes } from 'node:crypto'

/** A W3C trace context: one trace id per cycle, one span id per hop. */
export interface Trace {
  readonly traceId: string
  readonly traceparent: string
}

const PATTERN = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** A new trace for a new cycle, or the caller's own when its `traceparent` header is valid. */
export function startTrace(incoming?: string): Trace {
  const traceId = PATTERN.exec(incoming ?? '')?.[1] ?? hex(16)
  return { traceId, traceparent: `00-${traceId}-${hex(8)}-01` }
}

/** The `traceparent` of the next hop of the same trace. */
export function nextHop(traceparent: string): string {
  const [, traceId, flags] = PATTERN.exec(traceparent) ?? []
  return traceId ? `00-${traceId}-${hex(8)}-${flags}` : startTrace().traceparent
}
