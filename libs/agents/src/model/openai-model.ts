import { type Logger, type Endpoint } from '@ordeal/shared'
import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
  wrap,
  type IPolicy,
} from 'cockatiel'
import OpenAI from 'openai'
import { type ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import { boundedFetch } from './bounded-fetch.js'
import { EVERYTHING, narrowed, type Capabilities, type Optional } from './capabilities.js'
import { MAX_CHARACTERS } from './read-json.js'
import { ModelError, type Completion, type Model, type ModelProblem, type ModelRequest } from './model.js'

/** Bounds on the use of one endpoint, by all cycles of this process. */
export interface ModelLimits {
  /** For one request with its retries. */
  readonly timeoutMs: number
  /** Requests at once; as many again as `queue` wait, the rest is turned away. */
  readonly concurrency: number
  readonly queue: number
  /** Of 429, 5xx and broken connections, after Retry-After where it is given. */
  readonly retries: number
  /** So many failures one after the other open the circuit … */
  readonly failures: number
  /** … for so long. */
  readonly openMs: number
  readonly maxAnswerBytes: number
}

export const DEFAULT_LIMITS: ModelLimits = {
  timeoutMs: 120_000,
  concurrency: 8,
  queue: 1000,
  retries: 2,
  failures: 5,
  openMs: 30_000,
  maxAnswerBytes: 2 * 1024 * 1024,
}

/** How often a refused request is asked in another form: each form and each optional parameter once. */
const MOST_FORMS = 8

/**
 * A model behind an OpenAI-compatible endpoint. What the endpoint understands is found out by the first request and
 * remembered. One instance per endpoint and model, since retries, circuit and concurrency are theirs.
 */
export class OpenAiModel implements Model {
  readonly name: string
  private readonly client: OpenAI
  private readonly policy: IPolicy
  private capabilities: Capabilities = EVERYTHING

  constructor(
    endpoint: Endpoint,
    private readonly log: Logger,
    private readonly limits: ModelLimits = DEFAULT_LIMITS,
  ) {
    this.name = endpoint.model
    this.client = new OpenAI({
      baseURL: endpoint.baseUrl,
      // The library insists on one; endpoints without keys do not look at it.
      apiKey: endpoint.apiKey || 'none',
      defaultHeaders: endpoint.headers,
      defaultQuery: endpoint.query,
      maxRetries: limits.retries,
      timeout: limits.timeoutMs,
      fetch: boundedFetch(limits.maxAnswerBytes),
      logLevel: 'off',
    })
    const isDown = handleWhen((error) => error instanceof ModelError && DOWN.has(error.problem))
    this.policy = wrap(
      bulkhead(limits.concurrency, limits.queue),
      circuitBreaker(isDown, { halfOpenAfter: limits.openMs, breaker: new ConsecutiveBreaker(limits.failures) }),
    )
  }

  async complete(request: ModelRequest): Promise<Completion> {
    try {
      return await this.policy.execute(() => this.withinTime(request))
    } catch (error) {
      request.signal.throwIfAborted()
      if (error instanceof BrokenCircuitError)
        throw new ModelError(
          'unavailable',
          `${this.name} failed ${this.limits.failures} times running; it is left alone for a while`,
        )
      if (error instanceof BulkheadRejectedError)
        throw new ModelError('unavailable', `too many requests wait for ${this.name}`)
      throw error
    }
  }

  private async withinTime(request: ModelRequest): Promise<Completion> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(this.limits.timeoutMs)])
    try {
      return await this.inSomeForm({ ...request, signal })
    } catch (error) {
      request.signal.throwIfAborted()
      throw problemOf(error, signal.aborted, this.name)
    }
  }

  /** Asks in the strictest form that the endpoint is known to take, and in simpler ones when it is refused. */
  private async inSomeForm(request: ModelRequest): Promise<Completion> {
    for (let left = MOST_FORMS; ; left--) {
      const used = this.capabilities
      try {
        return await this.streamed(request, used)
      } catch (error) {
        const simpler = error instanceof OpenAI.APIError && isRefusal(error) ? narrowed(used, error.message) : null
        if (!simpler || left <= 0) throw error
        this.log.info('an endpoint does not take a form of request', {
          model: this.name,
          format: simpler.format,
          omitted: [...simpler.omit],
        })
        this.capabilities = simpler
      }
    }
  }

  private async streamed(request: ModelRequest, used: Capabilities): Promise<Completion> {
    const stream = await this.client.chat.completions.create(parametersOf(this.name, request, used), {
      signal: request.signal,
    })
    let text = ''
    let cut = false
    let usage = { inputTokens: 0, outputTokens: 0 }
    for await (const chunk of stream) {
      const [choice] = chunk.choices
      text += choice?.delta.content ?? ''
      if (text.length > MAX_CHARACTERS) {
        throw new ModelError('too-large', `${this.name} goes on and on: over ${MAX_CHARACTERS} characters`)
      }
      cut ||= choice?.finish_reason === 'length'
      if (chunk.usage) usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens }
      request.onProgress?.(text.length)
    }
    return { text, cut, ...usage }
  }
}

const DOWN: ReadonlySet<ModelProblem> = new Set(['unavailable', 'too-slow'])
const isRefusal = ({ status }: { status?: number }): boolean => status === 400 || status === 404 || status === 422

function formatOf(request: ModelRequest, { format }: Capabilities): Partial<ChatCompletionCreateParamsStreaming> {
  const { name, schema } = request
  if (format === 'schema')
    return { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }
  return format === 'object' ? { response_format: { type: 'json_object' } } : {}
}

/** Where the endpoint does not hold the model to the schema, the model must read it. */
function messagesOf(
  { messages, schema }: ModelRequest,
  { format }: Capabilities,
): ChatCompletionCreateParamsStreaming['messages'] {
  if (format === 'schema') return messages.map((message) => ({ ...message }))
  return messages.map(({ role, content }, index) =>
    index === 0
      ? { role, content: `${content}\n\nJSON Schema of the answer:\n${JSON.stringify(schema)}` }
      : { role, content },
  )
}

function parametersOf(model: string, request: ModelRequest, used: Capabilities): ChatCompletionCreateParamsStreaming {
  const { maxOutputTokens, seed } = request
  const takes = (name: Optional): boolean => !used.omit.has(name)
  return {
    model,
    messages: messagesOf(request, used),
    stream: true,
    ...(takes('stream_options') ? { stream_options: { include_usage: true } } : {}),
    ...(takes('max_completion_tokens') ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens }),
    ...(takes('seed') ? { seed } : {}),
    ...(takes('temperature') ? { temperature: 0 } : {}),
    ...formatOf(request, used),
  }
}

function problemOf(error: unknown, timedOut: boolean, model: string): Error {
  const own = causesOf(error).find((cause) => cause instanceof ModelError)
  if (own) return own
  if (timedOut || error instanceof OpenAI.APIConnectionTimeoutError) {
    return new ModelError('too-slow', `${model} did not answer in time`, error)
  }
  if (!(error instanceof OpenAI.APIError))
    return new ModelError('unavailable', `${model} broke off: ${String(error)}`, error)
  const down = error.status === undefined || error.status === 429 || error.status >= 500
  return new ModelError(down ? 'unavailable' : 'refused', `${model}: ${error.message.slice(0, 300)}`, error)
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause) causes.push(cause)
  return causes
}
