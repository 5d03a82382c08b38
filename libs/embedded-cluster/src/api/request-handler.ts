import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { ApiError, badRequest } from '../store/api-error.js'
import type { ClusterHost } from './cluster-host.js'
import { handleCluster } from './handle-cluster.js'
import { readBody } from './http-body.js'
import { formOf, renderReply, type Rendering } from './render.js'
import { json, type Reply } from './reply.js'

const advanceSchema = z.strictObject({ until: z.number(), wakeOn: z.array(z.string()).max(100).default([]) })

/** Routes requests to clusters and to the server's own endpoints, and writes the answers. */
export class RequestHandler {
  /** Where the server can be reached; set when it listens. */
  url = ''

  constructor(
    private readonly host: ClusterHost,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Never rejects: whatever goes wrong is an answer. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { pathname, searchParams } = locate(request)
      const reply = await this.route(request, response, { pathname, query: searchParams })
      if (reply) this.answer(request, response, reply)
    } catch (error) {
      // A client that went away in the middle of its request is no bug of ours.
      if (!(error instanceof ApiError) && !response.destroyed) this.report(error)
      fail(response, asApiError(error))
    }
  }

  private async route(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, query }: { pathname: string; query: URLSearchParams },
  ): Promise<Reply | null> {
    const [root, id, ...rest] = pathname.split('/').slice(1)
    if (pathname === '/livez' || pathname === '/readyz') return { kind: 'text', text: 'ok' }
    if (root !== 'clusters') throw new ApiError(404, 'NotFound', 'clusters are below /clusters/ID')
    if (!id) return this.clusters(request)
    if (rest.join('') === '') return this.cluster(request, id)
    if (rest.length === 1 && rest[0] === 'clock') return this.clock(request, response, id)
    return handleCluster({ cluster: this.host.get(id), path: `/${rest.join('/')}`, query, request, response })
  }

  private async clusters(request: IncomingMessage): Promise<Reply> {
    if (request.method === 'GET') return json({ clusters: this.host.list().map((settings) => this.shown(settings)) })
    if (request.method !== 'POST') throw notAllowed('GET, POST')
    const { cluster, created } = this.host.create(await readBody(request))
    return json(this.shown(cluster.settings), created ? 201 : 200)
  }

  private shown<T extends { id: string }>(settings: T): T & { url: string } {
    return { ...settings, url: `${this.url}/clusters/${settings.id}` }
  }

  private cluster(request: IncomingMessage, id: string): Reply {
    if (request.method === 'GET') {
      const { settings, engine } = this.host.get(id)
      return json({ ...this.shown(settings), now: engine.kernel.now, assumptions: engine.assumptions })
    }
    if (request.method !== 'DELETE') throw notAllowed('GET, DELETE')
    this.host.delete(id)
    return json(undefined, 204)
  }

  /** Ends the advance when the client goes away. */
  private async clock(request: IncomingMessage, response: ServerResponse, id: string): Promise<Reply> {
    const cluster = this.host.get(id)
    if (request.method === 'GET') {
      cluster.sync()
      return json({ now: cluster.engine.kernel.now })
    }
    if (request.method !== 'POST') throw notAllowed('GET, POST')
    const parsed = advanceSchema.safeParse(await readBody(request))
    if (!parsed.success) throw badRequest(`clock: ${z.prettifyError(parsed.error)}`)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    return json(await cluster.advanceTo(parsed.data, gone.signal))
  }

  private answer(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    if (reply.kind === 'text') {
      return send(response, 200, { type: reply.contentType ?? 'text/plain', text: reply.text })
    }
    if (reply.kind === 'json' && reply.code === 204) {
      response.writeHead(204).end()
      return
    }
    const body = renderReply(reply, this.rendering(request, reply))
    const type = (reply.kind === 'json' && reply.contentType) || 'application/json'
    send(response, reply.kind === 'list' ? 200 : reply.code, { type, text: JSON.stringify(body) })
  }

  private rendering(request: IncomingMessage, reply: Reply): Rendering {
    const { searchParams, pathname } = locate(request)
    const id = pathname.split('/')[2] ?? ''
    return {
      form: formOf(request.headers.accept),
      now: reply.kind === 'json' ? 0 : this.host.get(id).engine.kernel.now,
      includeObject: searchParams.get('includeObject') ?? 'Metadata',
    }
  }
}

/** Throws ApiError 400. */
function locate(request: IncomingMessage): URL {
  const url = URL.parse(request.url ?? '/', 'http://cluster')
  if (!url) throw badRequest('the path of the request cannot be read')
  return url
}

function send(response: ServerResponse, code: number, body: { type: string; text: string }): void {
  if (response.headersSent || response.destroyed) return
  const bytes = Buffer.from(body.text)
  response.writeHead(code, { 'content-type': body.type, 'content-length': bytes.length }).end(bytes)
}

function fail(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  // What is left of a body that was refused is not read.
  if (error.code === 413) response.setHeader('connection', 'close')
  const { retryAfterSeconds } = error.details
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
  send(response, error.code, { type: 'application/json', text: JSON.stringify(error.status) })
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`)
}

function notAllowed(methods: string): ApiError {
  return new ApiError(405, 'MethodNotAllowed', `the methods here are ${methods}`)
}
