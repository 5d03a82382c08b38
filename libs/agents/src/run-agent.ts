import { performance } from 'node:perf_hooks'
import { type AgentCall, type PhaseContext } from '@ordeal/shared'
import { type Agent } from './agent.js'

/** Thrown when an expert's own answer fails its agent's check: a bug of ours, never the user's. */
export class ExpertError extends Error {
  constructor(agent: string, problems: readonly string[]) {
    super(`the expert of agent '${agent}' gave an invalid answer: ${problems.join('; ')}`)
    this.name = 'ExpertError'
  }
}

/**
 * Asks the agent and records the call as an artefact. No model is configured in this version: the expert answers
 * everything, and its answer is held to the same schema and check as a model's would be.
 */
export async function runAgent<I, O>(agent: Agent<I, O>, input: I, context: PhaseContext): Promise<O> {
  const started = performance.now()
  const output = agent.output.parse(agent.expert(agent.input.parse(input)))
  const problems = agent.check(output, input)
  if (problems.length > 0) throw new ExpertError(agent.name, problems)
  const call: AgentCall = {
    name: agent.name,
    provenance: 'expert',
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    ms: Math.round(performance.now() - started),
  }
  await context.artefacts.put('agent-call', call, { name: agent.name, revision: context.revision })
  return output
}
