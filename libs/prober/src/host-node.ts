import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { type HttpAnswer, type HttpRequest, type ProberHost } from './host.js'
import { runScript } from './script/sandbox.js'

/** Where a container finds the Kubernetes API and its own credentials. */
export interface ApiAccess {
  readonly url: string
  readonly caFile: string
  readonly tokenFile: string
}

const LIST_TIMEOUT_MS = 10_000

/** Real timers and sockets. `write` gets whole lines; `api` is null where no probe reads the Kubernetes API. */
export function createNodeHost(write: (line: string) => void, api: ApiAccess | null): ProberHost {
  // One monotonic clock, set by the wall clock once: a step of the wall clock must not bend a window.
  const now = () => performance.timeOrigin + performance.now()
  return {
    now,
    at: (timeMs, task) => {
      const timer = setTimeout(() => task.run(), Math.max(0, timeMs - now()))
      return { cancel: () => clearTimeout(timer) }
    },
    http: (request, taker) => {
      get(request).then(
        async (answer) =>
          taker.answered(request.look || request.read ? await lookAt(answer, request) : glanceAt(answer)),
        (error: Error) => taker.answered({ status: null, error: error.message }),
      )
    },
    list: (path, taker) => {
      if (!api) return taker.listed({ objects: null, error: 'no access to the Kubernetes API' })
      listObjects(api, path).then(
        (objects) => taker.listed({ objects, error: null }),
        (error: Error) => taker.listed({ objects: null, error: error.message }),
      )
    },
    script: runScript,
    log: write,
  }
}

function glanceAt(answer: IncomingMessage): HttpAnswer {
  answer.on('error', () => undefined).resume()
  return { status: answer.statusCode ?? null, error: null }
}

/** Enough to tell two answers apart. */
const LOOK_BYTES = 65_536

/** Reads the whole answer, and makes of its beginning what can be compared. An answer that breaks off is none. */
async function lookAt(answer: IncomingMessage, { read }: HttpRequest): Promise<HttpAnswer> {
  const { date, ...headers } = answer.headers
  const hash = createHash('sha256').update(JSON.stringify([answer.statusCode, headers]))
  const kept: Buffer[] = []
  let left = LOOK_BYTES
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      hash.update(chunk.subarray(0, left))
      if (read) kept.push(chunk.subarray(0, left))
      left = Math.max(0, left - chunk.length)
    }
  } catch (error) {
    return { status: null, error: (error as Error).message }
  }
  const dateMs = Date.parse(date ?? '')
  const content = hash.digest('hex').slice(0, 16)
  const body = read ? { body: Buffer.concat(kept).toString('utf8') } : {}
  const dated = Number.isNaN(dateMs) ? {} : { dateMs }
  return { status: answer.statusCode ?? null, error: null, content, ...dated, ...body }
}

/** A GET on a connection of its own (a kept one would hide what a new visitor meets), aborted at its time-out. */
function get({ url, timeoutMs, headers }: HttpRequest, options: RequestOptions = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs))
    const request = send(url, { headers, ...options, agent: false, signal })
    request.once('response', resolve)
    request.on('error', reject)
    request.end()
  })
}

async function listObjects(api: ApiAccess, path: string): Promise<unknown[]> {
  // Read each time: the kubelet renews the token under the same name.
  const headers = { authorization: `Bearer ${readFileSync(api.tokenFile, 'utf8').trim()}` }
  const ca = readFileSync(api.caFile, 'utf8')
  return readItems(await get({ url: `${api.url}${path}`, timeoutMs: LIST_TIMEOUT_MS }, { ca, headers }))
}

async function readItems(answer: IncomingMessage): Promise<unknown[]> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
  return (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { items: unknown[] }).items
}
