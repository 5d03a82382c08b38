import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClusterHost } from './api/cluster-host.js'
import type { CreateEngine } from './api/engine-port.js'
import { RequestHandler } from './api/request-handler.js'

/** For a request to arrive; an answer may take as long as it needs. */
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than clients keep an idle connection, so that it is never closed under a request on its way. */
const KEEP_ALIVE_MS = 120_000
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
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => void handler.handle(request, response),
  )
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
