import type * as ClientLibrary from '@kubernetes/client-node'

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the API server's root, with its query. */
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal
  /** The first answer counts: one that says "not now", as to an eviction, is not asked for again. */
  readonly once?: boolean
}

export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** Sends one request. Rejects when no answer comes. */
export type Transport = (request: ApiRequest) => Promise<ApiAnswer>

let loading: Promise<typeof ClientLibrary> | undefined

/**
 * The client library is half a second of loading, so it is loaded when the first cluster is met, and once.
 *
 * Only its configuration, authentication, transport and watch are used: its typed clients drop fields that they do not
 * know and turn times into Dates, so objects travel as raw JSON.
 */
export const clientLibrary = (): Promise<typeof ClientLibrary> => (loading ??= import('@kubernetes/client-node'))

/**
 * The library opens a connection anew for each request. This view of a configuration lets requests with the same
 * certificates share theirs: `apply` authenticates a request and gives it the shared ones.
 */
function shareConnections(config: ClientLibrary.KubeConfig): (context: ClientLibrary.RequestContext) => Promise<void> {
  const view = Object.create(config) as ClientLibrary.KubeConfig
  let certificates = ''
  let shared: ReturnType<ClientLibrary.RequestContext['getDispatcher']>
  view.createDispatcherOptions = (cluster, agentOptions) => {
    const made = config.createDispatcherOptions(cluster, agentOptions)
    // Without TLS there is nothing to set: fetch has its own pool.
    const known = JSON.stringify(made) === certificates || cluster?.server.startsWith('http:')
    if (known) return { type: 'none' }
    certificates = JSON.stringify(made)
    return made
  }
  return async (context) => {
    await view.applySecurityAuthentication(context)
    shared = context.getDispatcher() ?? shared
    if (shared) context.setDispatcher(shared)
  }
}

/** Requests to the current context of a kubeconfig, with its certificates, tokens and plugins. */
export async function createTransport(config: ClientLibrary.KubeConfig): Promise<Transport> {
  const { HttpMethod, IsomorphicFetchHttpLibrary, RequestContext } = await clientLibrary()
  const http = new IsomorphicFetchHttpLibrary()
  const authenticate = shareConnections(config)
  const server = config.getCurrentCluster()?.server ?? ''
  return async ({ method, path, body, contentType, signal }) => {
    signal?.throwIfAborted()
    const context = new RequestContext(`${server}${path}`, HttpMethod[method])
    await authenticate(context)
    context.setHeaderParam('Accept', 'application/json')
    if (signal) context.setSignal(signal)
    if (body !== undefined) {
      context.setHeaderParam('Content-Type', contentType ?? 'application/json')
      context.setBody(JSON.stringify(body))
    }
    const answer = await http.send(context).toPromise()
    return { status: answer.httpStatusCode, text: await answer.body.text() }
  }
}
