import { isDeepStrictEqual } from 'node:util'
import { TerminalError, type AgentCall } from '@ordeal/shared'
import { ModelError, type Completion, type Message, type Model, type ModelProblem } from '../model/model.js'

const name = 'recorded answers'

/**
 * A model that answers from the recorded calls of an earlier cycle. A question that was not asked then is no question to
 * guess at: throws TerminalError `replay-diverged`.
 */
export function createRecordedModel(calls: readonly AgentCall[]): Model {
  return {
    name,
    complete: ({ name: agent, messages }) =>
      new Promise((resolve) =>
        resolve(
          answerOf(
            calls.filter((call) => call.name === agent),
            agent,
            messages,
          ),
        ),
      ),
  }
}

function answerOf(calls: readonly AgentCall[], agent: string, messages: readonly Message[]): Completion {
  const call = calls.find(
    (c) => c.exchanges.length > 0 && isDeepStrictEqual(c.messages.slice(0, messages.length), messages),
  )
  const asked = messages.filter((m) => m.role === 'assistant').length
  const exchange = call?.exchanges[asked]
  if (!call || !exchange) {
    throw new TerminalError(
      'replay-diverged',
      `The question to agent ${agent} is not among those recorded: the input, the options or the version of Ordeal differ`,
    )
  }
  if (exchange.error !== null) throw new ModelError(problemOf(exchange.error), exchange.error)
  const answer = call.messages[messages.length]
  const { inputTokens, outputTokens } = exchange
  return { text: answer?.content ?? '', cut: false, inputTokens, outputTokens }
}

const problemOf = (error: string): ModelProblem => {
  const known: readonly ModelProblem[] = ['unavailable', 'too-slow', 'refused', 'too-large']
  return known.find((problem) => error.startsWith(problem)) ?? 'unavailable'
}
