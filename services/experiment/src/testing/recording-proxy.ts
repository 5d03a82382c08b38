import { once } from 'node:events'
import { createServer, request as plain, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as secure } from 'node:https'
import { type AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

/** Asked of an API server, as its authorisation sees it. */
export interface ApiCall {
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/log`. */
  readonly resource: string
  /** Absent for what is cluster-scoped. */
  readonly namespace?: string
  readonly status: number
}

/** Stands before an API server and writes down what is asked of it; credentials pass through. */
export interface RecordingProxy {
  readonly url: string
  readonly calls: readonly ApiCall[]
  close(): Promise<void>
}

/** `ca` is the certificate of the authority that vouches for the server. */
export async function startRecordingProxy(server: string, ca: Buffer): Promise<RecordingProxy> {
  const calls: ApiCall[] = []
  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const target = new URL(asked.url ?? '/', server)
    const { host: _, connection: __, ...headers } = asked.headers
    const send = target.protocol === 'https:' ? secure : plain
    const onward = send(target, { method: asked.method, headers, ca })
    answer.on('close', () => onward.destroy())
    void pipeline(asked, onward).catch(() => onward.destroy())
    const [answered] = (await once(onward, 'response')) as [IncomingMessage]
    const call = callOf(asked.method ?? 'GET', target, answered.statusCode ?? 0)
    if (call) calls.push(call)
    answer.writeHead(answered.statusCode ?? 502, answered.headers)
    answer.flushHeaders()
    await pipeline(answered, answer)
  }
  const proxy = createServer((asked, answer) => void pass(asked, answer).catch(() => answer.destroy()))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    calls,
    close: async () => {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

const PATH = /^\/(?:api\/[^/]+|apis\/([^/]+)\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/
const VERBS: Record<string, string> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** Null for discovery and the like, which everybody may ask for. */
function callOf(method: string, { pathname, searchParams }: URL, status: number): ApiCall | null {
  const [matched, group = '', namespace, resource = '', name, sub] = PATH.exec(pathname) ?? []
  if (!matched) return null
  const read = name ? 'get' : searchParams.get('watch') === 'true' ? 'watch' : 'list'
  const verb = VERBS[method] ?? read
  return { verb, group, resource: sub ? `${resource}/${sub}` : resource, namespace, status }
}
