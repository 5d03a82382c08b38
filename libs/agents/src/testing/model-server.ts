import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { z } from 'zod'

const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  stream: z.boolean().default(false),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ name: z.string() }).optional() })
    .optional(),
})

/** A chat completion as it was asked for. */
export interface ChatRequest extends z.infer<typeof requestSchema> {
  /** The agent that asks, where the request carries a JSON Schema; null otherwise. */
  readonly agent: string | null
  /** Requests so far, this one included. */
  readonly count: number
  readonly headers: IncomingMessage['headers']
}

/** What a model server does with a request: says something, refuses, or misbehaves on the wire. */
export type Reply =
  | { readonly say: string; readonly finish?: 'stop' | 'length'; readonly afterMs?: number; readonly usage?: boolean }
  | { readonly status: number; readonly message: string; readonly headers?: Record<string, string> }
  | { readonly raw: string; readonly type?: string }
  /** Breaks the connection, after so many characters of an answer. */
  | { readonly breakOff: string }
  /** Says nothing for as long as the connection lives. */
  | { readonly silent: true }

/** A server that speaks the chat completions API of OpenAI over real HTTP, streamed or whole. */
export interface ModelServer {
  /** Base URL for a client, version included. */
  readonly url: string
  readonly requests: readonly ChatRequest[]
  close(): Promise<void>
}

/** Starts a server on the loopback address whose answers come from `reply`. */
export async function startModelServer(reply: (request: ChatRequest) => Reply): Promise<ModelServer> {
  const requests: ChatRequest[] = []
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing, requests, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  requests: ChatRequest[],
  reply: (request: ChatRequest) => Reply,
): Promise<void> {
  const parsed = requestSchema.safeParse(await bodyOf(incoming))
  if (incoming.method !== 'POST' || !incoming.url?.split('?')[0]?.endsWith('/chat/completions') || !parsed.success) {
    send(outgoing, { status: 404, message: 'only POST /v1/chat/completions is here' }, false)
    return
  }
  const agent = parsed.data.response_format?.json_schema?.name ?? null
  const request = { ...parsed.data, agent, count: requests.length + 1, headers: incoming.headers }
  requests.push(request)
  send(outgoing, reply(request), request.stream)
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of incoming) text += String(chunk)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function send(outgoing: ServerResponse, reply: Reply, stream: boolean): void {
  if ('silent' in reply) return
  if ('status' in reply) {
    outgoing.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    outgoing.end(JSON.stringify({ error: { message: reply.message, type: 'invalid_request_error' } }))
    return
  }
  if ('raw' in reply) {
    outgoing.writeHead(200, { 'content-type': reply.type ?? 'application/json' }).end(reply.raw)
    return
  }
  if ('breakOff' in reply) {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(reply.breakOff ? event(chunk(reply.breakOff, null)) : ': one moment\n\n', () => outgoing.destroy())
    return
  }
  if (reply.afterMs === undefined) say(outgoing, reply, stream)
  else {
    const timer = setTimeout(() => say(outgoing, reply, stream), reply.afterMs)
    outgoing.on('close', () => clearTimeout(timer))
  }
}

type Saying = Extract<Reply, { say: string }>
/** Words of an answer go out in pieces of this size, as tokens do. */
const PIECE = 512

function say(outgoing: ServerResponse, { say: text, finish = 'stop', usage = true }: Saying, stream: boolean): void {
  const counted = usage
    ? { usage: { prompt_tokens: 100, completion_tokens: Math.ceil(text.length / 4), total_tokens: 0 } }
    : {}
  if (!stream) {
    const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }]
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'm', choices, ...counted }))
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < text.length; at += PIECE) outgoing.write(event(chunk(text.slice(at, at + PIECE), null)))
  outgoing.write(event(chunk('', finish)))
  if (usage) outgoing.write(event({ ...chunk('', null), choices: [], ...counted }))
  outgoing.end('data: [DONE]\n\n')
}

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
const chunk = (content: string, finish: string | null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'm',
  choices: [{ index: 0, delta: content ? { content } : {}, finish_reason: finish }],
})
