import { ApiError, badRequest } from '../store/api-error.js'
import type { Engine, LogLine, LogRequest } from './engine-port.js'
import { wholeNumber } from './read-objects.js'

/** What a client asks of a log. */
export interface LogQuery extends LogRequest {
  follow: boolean
  /** Renders a line, with its time where the client wants that. */
  render: (line: LogLine) => string
}

/** Reads the query of GET …/pods/NAME/log. Throws ApiError 400. */
export function readLogQuery(namespace: string, pod: string, query: URLSearchParams): LogQuery {
  const timestamps = query.get('timestamps') === 'true'
  return {
    namespace,
    pod,
    container: query.get('container') || null,
    previous: query.get('previous') === 'true',
    follow: query.get('follow') === 'true' || query.get('follow') === '1',
    render: (line) => (timestamps ? `${nanoTimestamp(line.at)} ${line.text}\n` : `${line.text}\n`),
  }
}

/** The part of a log that the query asks for, as text. Throws ApiError 400 and what the engine throws. */
export function readLogs(engine: Engine, request: LogQuery, query: URLSearchParams): string {
  const lines = engine.logs(request)
  const since = sinceTime(engine.kernel.now, query)
  const start = since === null ? 0 : firstSince(lines, since)
  const tail = wholeNumber(query, 'tailLines')
  const from = tail === undefined ? start : Math.max(start, lines.length - tail)
  const text = lines.slice(from).map(request.render).join('')
  const limit = wholeNumber(query, 'limitBytes')
  return limit === undefined ? text : Buffer.from(text).subarray(0, limit).toString()
}

/** Follows a log; null when the engine cannot. */
export function followLogs(engine: Engine, request: LogQuery, write: (text: string) => void): () => void {
  if (!engine.followLogs) throw new ApiError(501, 'NotImplemented', 'logs cannot be followed on this cluster')
  return engine.followLogs(request, (line) => write(request.render(line)))
}

function sinceTime(now: number, query: URLSearchParams): number | null {
  const seconds = wholeNumber(query, 'sinceSeconds')
  const time = query.get('sinceTime')
  if (seconds !== undefined && time) throw badRequest('at most one of `sinceTime` or `sinceSeconds` may be specified')
  if (seconds !== undefined) return now - seconds * 1000
  if (!time) return null
  const at = Date.parse(time)
  if (Number.isNaN(at)) throw badRequest(`sinceTime must be an RFC 3339 time, not ${JSON.stringify(time)}`)
  return at
}

/** Index of the first line at or after a time; lines come in order of time. */
function firstSince(lines: readonly LogLine[], since: number): number {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle] as LogLine).at < since) low = middle + 1
    else high = middle
  }
  return low
}

function nanoTimestamp(ms: number): string {
  const nanos = Math.floor((ms - Math.floor(ms)) * 1e6)
  return new Date(Math.floor(ms)).toISOString().replace('Z', `${String(nanos).padStart(6, '0')}Z`)
}
