import { z } from 'zod'

/** Artefact `agent-call`: one question to an agent, with how its answer came about and what it cost. */
export const agentCallSchema = z.object({
  name: z.string(),
  provenance: z.enum(['model', 'repaired', 'expert']),
  calls: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
  ms: z.number().nonnegative(),
})
export type AgentCall = z.infer<typeof agentCallSchema>

/** Artefact `timing`: wall time that a phase took. */
export const timingRecordSchema = z.object({ phase: z.string(), revision: z.number().int(), ms: z.number() })
