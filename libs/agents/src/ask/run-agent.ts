import { performance } from 'node:perf_hooks'
import { type AgentCall, type AgentExchange, type PhaseContext } from '@ordeal/shared'
import { z } from 'zod'
import { type Agent } from '../agent.js'
import { costOf } from '../model/prices.js'
import { askModel, type Asked } from './ask-model.js'
import { openConversation } from './conversation.js'
import { type CycleModel, type Models } from './models.js'

/** Thrown when an expert's own answer fails its agent's check: a bug of ours, never the user's. */
export class ExpertError extends Error {
  constructor(agent: string, problems: readonly string[]) {
    super(`the expert of agent '${agent}' gave an invalid answer: ${problems.join('; ')}`)
    this.name = 'ExpertError'
  }
}

const NO_MODEL: Asked<never> = { output: null, repaired: false, why: null, messages: [], exchanges: [] }

/** The rules' answer. Throws ExpertError. */
export function expertOf<I, A, O>(agent: Agent<I, A, O>, input: I): O {
  const output = agent.output.parse(agent.expert(input))
  const problems = agent.check(output, input)
  if (problems.length > 0) throw new ExpertError(agent.name, problems)
  return output
}

/**
 * Asks the agent and records the call as an artefact. With a model, the model is asked, asked again with just the
 * problems of its answer (bounded), and when that does not help, or there is no budget, or the endpoint is down, the
 * expert's answer stands. Ends with a valid answer whatever the model does; throws only when the phase was aborted, when
 * a replay left its recording, or for a bug of the expert.
 */
export async function runAgent<I, A, O>(
  agent: Agent<I, A, O>,
  raw: I,
  context: PhaseContext,
  models: Models,
): Promise<O> {
  const started = performance.now()
  const input = agent.input.parse(raw)
  const floor = expertOf(agent, input)
  const cycle = await models.forCycle(context)
  const asked = cycle
    ? await askModel({
        agent,
        input,
        floor,
        context,
        cycle,
        messages: openConversation(agent.name, agent.prompt(input), cycle.redact),
      })
    : NO_MODEL
  const output = asked.output ?? floor
  const call = callOf(agent, asked, cycle, { ms: Math.round(performance.now() - started), answer: output })
  const place = { phase: context.phase, revision: context.revision }
  await context.artefacts.put('agent-call', { ...call, ...place }, { name: agent.name, revision: context.revision })
  return output
}

function callOf(
  agent: Pick<Agent<unknown, unknown, unknown>, 'name' | 'revised'>,
  asked: Asked<unknown>,
  cycle: CycleModel | null,
  { ms, answer }: { ms: number; answer: unknown },
): AgentCall {
  const sum = (read: (exchange: AgentExchange) => number): number =>
    asked.exchanges.reduce((total, exchange) => total + read(exchange), 0)
  const [inputTokens, outputTokens] = [sum((e) => e.inputTokens), sum((e) => e.outputTokens)]
  return {
    name: agent.name,
    provenance: provenanceOf(asked, agent),
    model: cycle?.model.name ?? null,
    why: asked.why,
    seed: cycle?.seed ?? null,
    calls: asked.exchanges.length,
    inputTokens,
    outputTokens,
    costUsd: costOf(cycle?.price ?? null, inputTokens, outputTokens),
    ms,
    messages: [...asked.messages],
    exchanges: [...asked.exchanges],
    answer: z.json().parse(JSON.parse(JSON.stringify(answer))),
  }
}

function provenanceOf(
  { output, repaired }: Asked<unknown>,
  { revised }: { readonly revised?: true },
): AgentCall['provenance'] {
  if (output === null) return 'expert'
  if (revised) return 'revised'
  return repaired ? 'repaired' : 'model'
}
