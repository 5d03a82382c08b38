import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { ClusterHost } from './api/cluster-host.js'
import type { CreateEngine } from './api/engine-port.js'
import { handleCluster } from './api/handle-cluster.js'
import { readBody } from './api/http-body.js'
import { formOf, renderReply, type Rendering } from './api/render.js'
import { json, type Reply } from './api/reply.js'
import { ApiError, badRequest } from './store/api-error.js'

const REQUEST_TIMEOUT_MS = 60_000
const MAX_CLUSTERS = 1_000

export interface EmbeddedServerOptions {
  /** 0: any free port. */
  port: number
  host: string
  createEngine: CreateEngine
  /** Told of bugs: an exception that is no answer of the API. */
  report?: (error: unknown) => void
  maxClusters?: number
}

export interface EmbeddedServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  /** Ends every cluster and connection. */
  close(): Promise<void>
}

const advanceSchema = z.strictObject({ until: z.number(), wakeOn: z.array(z.string()).max(100).default([]) })

/**
 * Serves embedded clusters over HTTP: `/clusters` makes and ends them, `/clusters/ID/clock` holds their time, and
 * everything else below `/clusters/ID` is a Kubernetes API server.
 */
export async function serveClusters(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const report = options.report ?? (() => undefined)
  const host = new ClusterHost({
    createEngine: options.createEngine,
    wallNow: Date.now,
    report,
    maxClusters: options.maxClusters ?? MAX_CLUSTERS,
  })
  const handler = new RequestHandler(host, report)
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void handler.handle(request, response)
  })
  await listen(server, options)
  const { port } = server.address() as AddressInfo
  handler.url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`
  return { url: handler.url, close: () => close(server, host) }
}

function listen(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server, host: ClusterHost): Promise<void> {
  host.close()
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

class RequestHandler {
  url = ''

  constructor(
    private readonly host: ClusterHost,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Never rejects: whatever goes wrong is an answer. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://cluster')
    try {
      const reply = await this.route(request, response, { pathname, query: searchParams })
      if (reply) this.answer(request, response, reply)
    } catch (error) {
      if (!(error instanceof ApiError)) this.report(error)
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
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://cluster')
    const id = pathname.split('/')[2] ?? ''
    return {
      form: formOf(request.headers.accept),
      now: reply.kind === 'json' ? 0 : this.host.get(id).engine.kernel.now,
      includeObject: searchParams.get('includeObject') ?? 'Metadata',
    }
  }
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
