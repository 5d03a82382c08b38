import { EventSourceParserStream } from 'eventsource-parser/stream'
import {
  approvalListSchema,
  approvalViewSchema,
  type AnswerProposal,
  type ApprovalView,
  artefactListSchema,
  type ArtefactEntry,
  cycleEventSchema,
  type CycleEvent,
  cycleViewSchema,
  type CycleView,
  problemSchema,
  type StartCycleBody,
} from '@ordeal/gateway/contract'
import { bundleSchema, type Bundle, coerceError, resultsSchema, type Results } from '@ordeal/shared'
import { type z } from 'zod'
import { GatewayError, GatewayLostError } from '../errors.js'

/** How long a single answer may take; the event stream has no such limit. */
const ANSWER_MS = 30_000
/** Attempts to take up a broken event stream before the gateway counts as lost. */
const RECONNECTS = 5

/** Where a gateway listens and who asks. */
export interface GatewayAddress {
  readonly url: string
  readonly apiKey: string
}

async function failure(response: Response): Promise<GatewayError> {
  const body: unknown = await response.json().catch(() => null)
  const problem = problemSchema.safeParse(body)
  if (!problem.success) return new GatewayError(response.status, `the gateway answered ${response.status}`)
  const { detail, remedy, errors } = problem.data
  const places = (errors ?? []).map((error) => `${error.pointer}: ${error.detail}`)
  return new GatewayError(response.status, [detail, ...places, remedy].filter(Boolean).join('. '))
}

const lost = (thrown: unknown): GatewayLostError =>
  new GatewayLostError(`the gateway is lost: ${coerceError(thrown).message}`, thrown)

/** The gateway's HTTP interface, typed: the one way in which the command line starts and follows cycles. */
export class GatewayClient {
  constructor(private readonly address: GatewayAddress) {}

  /** Answers, within a second, whether it is our gateway (it knows the key) and takes cycles. */
  async ready(): Promise<boolean> {
    const answers = ['/readyz', '/v1/cycles?limit=1'].map(async (path) => {
      const response = await fetch(`${this.address.url}${path}`, {
        headers: this.headers(),
        signal: AbortSignal.timeout(1000),
      })
      await response.arrayBuffer()
      return response.ok
    })
    return Promise.all(answers).then(
      (ok) => ok.every(Boolean),
      () => false,
    )
  }

  /** Starts a cycle. Throws GatewayError when it is refused. */
  async start(body: StartCycleBody): Promise<CycleView> {
    return this.json('POST', '/v1/cycles', cycleViewSchema, body)
  }

  async cycle(id: string): Promise<CycleView> {
    return this.json('GET', `/v1/cycles/${id}`, cycleViewSchema)
  }

  /** Asks for the end of a cycle; asking again changes nothing. */
  async cancel(id: string): Promise<CycleView> {
    return this.json('POST', `/v1/cycles/${id}/cancel`, cycleViewSchema)
  }

  /** What people are and were asked in a cycle. */
  async approvals(id: string): Promise<ApprovalView[]> {
    return (await this.json('GET', `/v1/cycles/${id}/approvals`, approvalListSchema)).approvals
  }

  /** Answers a proposal. Throws GatewayError when the answer cannot be used, or comes too late. */
  async answer(id: string, proposal: string, answer: AnswerProposal): Promise<ApprovalView> {
    return this.json('POST', `/v1/cycles/${id}/approvals/${proposal}`, approvalViewSchema, answer)
  }

  async results(id: string): Promise<Results> {
    return this.json('GET', `/v1/cycles/${id}/results`, resultsSchema)
  }

  async artefacts(id: string): Promise<ArtefactEntry[]> {
    return (await this.json('GET', `/v1/cycles/${id}/artefacts`, artefactListSchema)).artefacts
  }

  /** An artefact's body as JSON text. */
  async artefact(id: string, artefactId: string): Promise<string> {
    return (await this.request('GET', `/v1/cycles/${id}/artefacts/${artefactId}`)).text()
  }

  /** A document of the cycle as text; null when the cycle has none of this name. */
  async file(id: string, name: string): Promise<string | null> {
    return this.orNull(async () => (await this.request('GET', `/v1/cycles/${id}/files/${name}`)).text())
  }

  /** The improved manifests; null when nothing was changed. */
  async improved(id: string): Promise<Bundle | null> {
    return this.orNull(() => this.json('GET', `/v1/cycles/${id}/files/improved`, bundleSchema))
  }

  /**
   * The cycle's events from the first, ending with the cycle. A broken stream is taken up where it ended; `signal`
   * ends the wait. Throws GatewayLostError when the gateway is away for longer than a restart takes.
   */
  async *events(id: string, signal: AbortSignal): AsyncGenerator<CycleEvent> {
    let last = 0
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        for await (const event of this.stream(id, last, signal)) {
          last = event.sequence
          attempt = 0
          yield event
        }
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof GatewayError && error.status < 500) throw error
        if (attempt >= RECONNECTS) throw lost(error)
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt))
      }
    }
  }

  private async *stream(id: string, after: number, signal: AbortSignal): AsyncGenerator<CycleEvent> {
    const response = await fetch(`${this.address.url}/v1/cycles/${id}/events`, {
      headers: { ...this.headers(), accept: 'text/event-stream', 'last-event-id': String(after) },
      signal,
    })
    if (!response.ok || !response.body) throw await failure(response)
    const messages = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const message of messages) yield cycleEventSchema.parse(JSON.parse(message.data))
    // The stream ends with the cycle; anything else is a break.
    if ((await this.cycle(id)).status !== 'finished') throw new Error('the event stream broke off')
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.address.apiKey}` }
  }

  private async request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.address.url}${path}`, {
      method,
      headers: { ...this.headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch((error: unknown) => {
      throw new GatewayError(503, `the gateway at ${this.address.url} does not answer: ${coerceError(error).message}`)
    })
    if (!response.ok) throw await failure(response)
    return response
  }

  private async json<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: unknown,
  ): Promise<z.output<S>> {
    return schema.parse(await (await this.request(method, path, body)).json())
  }

  private async orNull<T>(read: () => Promise<T>): Promise<T | null> {
    try {
      return await read()
    } catch (error) {
      if (error instanceof GatewayError && error.status === 404) return null
      throw error
    }
  }
}
