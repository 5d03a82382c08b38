import { performance } from 'node:perf_hooks'
import { type AgentExchange, type PhaseContext } from '@ordeal/shared'
import { z } from 'zod'
import { type Agent } from '../agent.js'
import { countTokens } from '../model/count-tokens.js'
import { ModelError, type Completion, type Message, type ModelRequest } from '../model/model.js'
import { costOf } from '../model/prices.js'
import { readJson } from '../model/read-json.js'
import { askAgain, judgeAnswer, keepGoodParts, type Judged } from './conversation.js'
import { type CycleModel } from './models.js'

/** How often a model may correct itself. */
const MAX_REPAIRS = 2
const MAX_OUTPUT_TOKENS = 4000
const PROGRESS_CHARACTERS = 2000

/** A question on its way to a model. */
export interface Question<I, A, O> {
  readonly agent: Agent<I, A, O>
  readonly input: I
  readonly floor: O
  readonly context: PhaseContext
  readonly cycle: CycleModel
  readonly messages: readonly Message[]
}

/** What became of it. `output` is null when nothing of the model's could be used, and `why` says why. */
export interface Asked<O> {
  readonly output: O | null
  readonly repaired: boolean
  readonly why: string | null
  /** The whole conversation, answers included. */
  readonly messages: readonly Message[]
  /** One for each request, in order; each with an answer has one assistant's message. */
  readonly exchanges: readonly AgentExchange[]
}

/** Asks until an answer will do, the repairs are used up, or the model gives none. */
export async function askModel<I, A, O>(question: Question<I, A, O>): Promise<Asked<O>> {
  const messages = [...question.messages]
  const exchanges: AgentExchange[] = []
  const salvage = new Salvage()
  for (let attempt = 0; ; attempt++) {
    const { record, completion } = await exchangeOf(question, messages)
    exchanges.push(record)
    if (!completion) return ended(question, salvage, { messages, exchanges, why: record.error ?? 'no answer' })
    const judged = judgeCompletion(question, completion, salvage)
    if ('output' in judged) {
      messages.push({ role: 'assistant', content: completion.text })
      return { output: judged.output, repaired: attempt > 0, why: null, messages, exchanges }
    }
    messages.push(...askAgain(completion.text, judged.problems))
    if (attempt >= MAX_REPAIRS)
      return ended(question, salvage, { messages, exchanges, why: judged.problems.join('; ') })
  }
}

function judgeCompletion<I, A, O>(
  { agent, floor, input }: Question<I, A, O>,
  completion: Completion,
  salvage: Salvage,
): Judged<O> {
  const read = readJson(completion.text)
  if ('value' in read) salvage.keep(read.value)
  const judged = 'problem' in read ? { problems: [read.problem] } : judgeAnswer(agent, read.value, floor, input)
  if ('output' in judged || !completion.cut) return judged
  return { problems: ['it was cut off: be briefer', ...judged.problems] }
}

/** Raw answers that were JSON, the last first. */
class Salvage {
  private readonly raw: unknown[] = []
  keep(value: unknown): void {
    this.raw.unshift(value)
  }
  best<I, A, O>({ agent, floor, input }: Question<I, A, O>): O | null {
    for (const raw of this.raw) {
      const output = keepGoodParts(agent, raw, floor, input)
      if (output !== null) return output
    }
    return null
  }
}

function ended<I, A, O>(
  question: Question<I, A, O>,
  salvage: Salvage,
  end: Pick<Asked<O>, 'messages' | 'exchanges'> & { why: string },
): Asked<O> {
  return { ...end, output: salvage.best(question), repaired: true }
}

interface Exchange {
  readonly record: AgentExchange
  readonly completion: Completion | null
}

/** One request within the budget, or the reason why there is no answer to it. */
async function exchangeOf<I, A, O>(question: Question<I, A, O>, messages: readonly Message[]): Promise<Exchange> {
  const { agent, context, cycle } = question
  const size = await countTokens(messages)
  const reserved = spendOf(cycle, size, MAX_OUTPUT_TOKENS)
  const refusal = await context.budget.reserve(reserved, cycle.limits)
  if (refusal) {
    context.progress({ kind: 'note', message: `${agent.name}: ${cycle.model.name} is not asked, ${refusal}` })
    return { record: { inputTokens: 0, outputTokens: 0, ms: 0, error: refusal }, completion: null }
  }
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  try {
    const completion = await cycle.model.complete(requestOf({ agent, context, cycle }, messages))
    // An endpoint that does not count has its tokens counted here.
    const inputTokens = completion.inputTokens || size
    const outputTokens = completion.outputTokens || (await countTokens([{ content: completion.text }]))
    await context.budget.settle(reserved, spendOf(cycle, inputTokens, outputTokens))
    return {
      record: { inputTokens, outputTokens, ms: elapsed(), error: null },
      completion: { ...completion, text: cycle.redact(completion.text) },
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    await context.budget.settle(reserved, spendOf(cycle, 0, 0))
    const { problem, message } = error
    context.log.warn('a model gave no answer', { agent: agent.name, model: cycle.model.name, problem, reason: message })
    const said = `${problem}: ${cycle.redact(message)}`
    return { record: { inputTokens: 0, outputTokens: 0, ms: elapsed(), error: said }, completion: null }
  }
}

const spendOf = ({ price }: CycleModel, input: number, output: number) => ({
  calls: 1,
  tokens: input + output,
  usd: costOf(price, input, output),
})

function requestOf<I, A, O>(
  { agent, context, cycle }: Pick<Question<I, A, O>, 'agent' | 'context' | 'cycle'>,
  messages: readonly Message[],
): ModelRequest {
  let told = 0
  const onProgress = (characters: number): void => {
    if (characters < told + PROGRESS_CHARACTERS) return
    told = characters
    context.progress({
      kind: 'note',
      message: `${agent.name}: ${cycle.model.name} has written ${characters} characters`,
    })
  }
  const schema = z.toJSONSchema(agent.answer, { target: 'draft-7' }) as Record<string, unknown>
  return {
    name: agent.name,
    messages,
    schema,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    seed: cycle.seed,
    signal: context.signal,
    onProgress,
  }
}
