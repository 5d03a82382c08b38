import { type AgentCall, type PhaseContext } from '@ordeal/shared'
import { z } from 'zod'

/** Records that a person's answer took the place of the one that `name` had given. */
export async function recordPerson(name: string, answer: unknown, context: PhaseContext): Promise<void> {
  const call: AgentCall = {
    name,
    provenance: 'person',
    model: null,
    why: null,
    seed: null,
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    ms: 0,
    messages: [],
    exchanges: [],
    answer: z.json().parse(JSON.parse(JSON.stringify(answer))),
  }
  await context.artefacts.put('agent-call', call, { name, revision: context.revision })
}
