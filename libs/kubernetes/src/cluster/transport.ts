import type * as ClientLibrary from '@kubernetes/client-node'

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the API server's root, with its query. */
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal
}

export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** Sends one request. Rejects when no answer comes. */
export type Transport = (request: ApiRequest) => Promise<ApiAnswer>

/**
 * The client library is half a second of loading, so it is loaded when the first cluster is met.
 *
 * Only its configuration, authentication, transport and watch are used: its typed clients drop fields that they do not
 * know and turn times into Dates, so objects travel as raw JSON.
 */
export const clientLibrary = (): Promise<typeof ClientLibrary> => import('@kubernetes/client-node')

/** Requests to the current context of a kubeconfig, with its certificates, tokens and plugins. */
export async function createTransport(config: ClientLibrary.KubeConfig): Promise<Transport> {
  const { HttpMethod, IsomorphicFetchHttpLibrary, RequestContext } = await clientLibrary()
  const http = new IsomorphicFetchHttpLibrary()
  const server = config.getCurrentCluster()?.server ?? ''
  return async ({ method, path, body, contentType, signal }) => {
    signal?.throwIfAborted()
    const context = new RequestContext(`${server}${path}`, HttpMethod[method])
    await config.applySecurityAuthentication(context)
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
