import { setTimeout as sleep } from 'node:timers/promises'
import { artefactListSchema, cycleViewSchema, type CycleView } from '@ordeal/gateway/contract'
import { resultsSchema, runSchema, type Results, type Run } from '@ordeal/shared'
import { type z } from 'zod'
import { type Application } from './applications.js'
import { type Fleet } from './fleet.js'

/** Where cycles are asked for. */
export type Gateway = Pick<Fleet, 'gatewayUrl' | 'apiKey'>

/** A gateway that was killed is back within seconds (on a busy machine: many); one that stays away for this long is lost. */
const PATIENCE_MS = 90_000
const AGAIN_MS = 50

/** Asks until there is an answer below 500: whoever asks must live through the death of a gateway too. */
async function ask(gateway: Gateway, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.apiKey}`, ...(init.headers as Record<string, string>) }
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS)) {
    const answer = await fetch(`${gateway.gatewayUrl}${path}`, { ...init, headers }).catch((error: Error) => error)
    if (answer instanceof Response && answer.status < 500) return answer
    if (performance.now() < deadline) continue
    const why = answer instanceof Response ? `${answer.status} ${await answer.text()}` : answer.message
    throw new Error(`the gateway does not answer ${path}: ${why}`)
  }
}

async function read<S extends z.ZodType>(gateway: Gateway, path: string, schema: S): Promise<z.output<S>> {
  for (;;) {
    const answer = await ask(gateway, path)
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
    const body: unknown = await answer.json().catch(() => null)
    // A gateway that dies in the middle of its answer gives half of it.
    if (body !== null) return schema.parse(body)
  }
}

/** Every cycle waits for people, who never answer: its phases are suspended, and resumed by the time-out. */
const ASKING = { approve: ['hypothesis', 'improvement'], approveTimeoutMs: 1000, approveDefault: 'approve' }

/** Starts a cycle, once, however often the gateway dies meanwhile. */
export async function startCycle(
  gateway: Gateway,
  { input, maxImprovements }: Application,
  seed: number,
): Promise<string> {
  const body = JSON.stringify({ project: 'crash', input, options: { ...ASKING, seed, maxImprovements } })
  const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
  for (;;) {
    const answer = await ask(gateway, '/v1/cycles', { method: 'POST', body, headers })
    if (!answer.ok) throw new Error(`a cycle was refused: ${answer.status} ${await answer.text()}`)
    const view: unknown = await answer.json().catch(() => null)
    if (view !== null) return cycleViewSchema.parse(view).id
  }
}

export const cancelCycle = (gateway: Gateway, id: string): Promise<Response> =>
  ask(gateway, `/v1/cycles/${id}/cancel`, { method: 'POST' })

export const cycle = (gateway: Gateway, id: string): Promise<CycleView> =>
  read(gateway, `/v1/cycles/${id}`, cycleViewSchema)

/** One event of a cycle as its stream gives it. */
export interface Told {
  readonly type: string
  readonly data: Record<string, unknown>
}

/**
 * Follows a cycle's events to its end; a stream that breaks is taken up where it was. Rejects when the cycle takes
 * longer than `withinMs`.
 */
export async function untilFinished(
  gateway: Gateway,
  id: string,
  withinMs: number,
  onEvent: (event: Told) => void = () => undefined,
): Promise<CycleView> {
  const signal = AbortSignal.timeout(withinMs)
  let last = '0'
  const hear = (line: string): void => {
    if (line.startsWith('id:')) last = line.slice(3).trim()
    if (line.startsWith('data:')) onEvent(JSON.parse(line.slice(5)) as Told)
  }
  for (;;) {
    await listen(gateway, id, { last, signal, hear }).catch(() => undefined)
    const view = await cycle(gateway, id)
    if (view.status === 'finished') return view
    if (signal.aborted) throw new Error(`the cycle has not ended: ${JSON.stringify(view)}`)
  }
}

interface Listening {
  readonly last: string
  readonly signal: AbortSignal
  readonly hear: (line: string) => void
}

async function listen(gateway: Gateway, id: string, { last, signal, hear }: Listening): Promise<void> {
  const answer = await ask(gateway, `/v1/cycles/${id}/events`, { headers: { 'last-event-id': last }, signal })
  for await (const line of linesOf(answer)) hear(line)
}

async function* linesOf(answer: Response): AsyncGenerator<string> {
  let rest = ''
  for await (const text of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** What a cycle came to, without what may differ between two cycles of one application and seed. */
export interface Came {
  readonly outcome: string | null
  readonly problem: string | null
  readonly runs: readonly { revision: number; verdict: string; reason: string | null; checks: string[] }[]
  readonly changes: Results['revisions'][number]['changes']
}

export async function cameTo(gateway: Gateway, id: string): Promise<Came> {
  const { outcome, problem } = await cycle(gateway, id)
  const results = await read(gateway, `/v1/cycles/${id}/results`, resultsSchema)
  return {
    outcome,
    problem,
    runs: results.runs.map(({ revision, verdict, reason, checks }) => ({
      revision,
      verdict,
      reason,
      checks: checks.map((check) => `${check.steadyState} ${check.window} ${check.outcome}`),
    })),
    changes: results.revisions.findLast((revision) => revision.kept)?.changes ?? [],
  }
}

/** The runs of a cycle, every artefact of them. */
export async function runsOf(gateway: Gateway, id: string): Promise<Run[]> {
  const { artefacts } = await read(gateway, `/v1/cycles/${id}/artefacts`, artefactListSchema)
  const own = artefacts.filter(({ kind }) => kind === 'run')
  return Promise.all(own.map((entry) => read(gateway, `/v1/cycles/${id}/artefacts/${entry.id}`, runSchema)))
}
