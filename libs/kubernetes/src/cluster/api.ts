import { isNativeError } from 'node:util/types'
import { setTimeout as sleep } from 'node:timers/promises'
import { coerceError } from '@ordeal/shared'
import { ClusterLostError, RefusedError } from './errors.js'
import { type ApiAnswer, type ApiRequest, type Transport } from './transport.js'

/** Asks the API server. Throws RefusedError for its refusals, ClusterLostError when it stays away. */
export interface Api {
  json<T>(request: ApiRequest): Promise<T>
  text(request: ApiRequest): Promise<string>
}

/** Waits (ms of wall time) before each new try when the server does not answer or is overloaded; then it is lost. */
export type Patience = readonly number[]

const OVERLOADED = new Set([429, 500, 502, 503, 504])

/** No request hangs: a plain one gets its answer within this … */
const REQUEST_TIMEOUT_MS = 30_000
/** … and one that its caller may abort (an advance of virtual time) within this. */
const LONG_REQUEST_TIMEOUT_MS = 300_000

/** Every write of Ordeal can be repeated (create-only names, merge patches, deletes), so each request is tried again. */
export function createApi(transport: Transport, patience: Patience): Api {
  const ask = async (request: ApiRequest): Promise<string> => {
    const answer = await askPatiently(transport, request, patience)
    if (answer.status < 300) return answer.text
    throw refusal(answer, request)
  }
  return {
    json: async <T>(request: ApiRequest) => JSON.parse(await ask(request)) as T,
    text: ask,
  }
}

async function askPatiently(transport: Transport, request: ApiRequest, patience: Patience): Promise<ApiAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const waitMs = patience[attempt]
    try {
      const answer = await transport({ ...request, signal: limited(request.signal) })
      if (!OVERLOADED.has(answer.status) || waitMs === undefined || request.once) return answer
    } catch (error) {
      request.signal?.throwIfAborted()
      if (waitMs === undefined) throw lost(error)
    }
    await sleep(waitMs, undefined, { signal: request.signal })
  }
}

const limited = (signal: AbortSignal | undefined): AbortSignal =>
  signal
    ? AbortSignal.any([signal, AbortSignal.timeout(LONG_REQUEST_TIMEOUT_MS)])
    : AbortSignal.timeout(REQUEST_TIMEOUT_MS)

function lost(thrown: unknown): ClusterLostError {
  const error = coerceError(thrown)
  return new ClusterLostError(`the cluster's API server does not answer: ${deepestWords(error)}`, error)
}

/** What lies at the bottom (`connect ECONNREFUSED 127.0.0.1:1`), below "fetch failed" and the like. */
function deepestWords(error: Error): string {
  const below: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return isNativeError(below) ? deepestWords(below) : error.message
}

function refusal({ status, text }: ApiAnswer, { method, path }: ApiRequest): RefusedError {
  const said = readStatus(text)
  return new RefusedError(status, said.reason ?? 'Unknown', said.message ?? `${method} ${path}: status ${status}`)
}

function readStatus(text: string): { reason?: string; message?: string } {
  try {
    return JSON.parse(text) as { reason?: string; message?: string }
  } catch {
    return text ? { message: text.slice(0, 500) } : {}
  }
}
