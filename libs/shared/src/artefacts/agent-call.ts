import { z } from 'zod'

/** One request to a model within a call. `error` is null when an answer came. */
export const agentExchangeSchema = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  ms: z.number().nonnegative(),
  error: z.string().nullable(),
})
export type AgentExchange = z.infer<typeof agentExchangeSchema>

/**
 * Artefact `agent-call`: one question to an agent, with how its answer came about and what it cost. The cycle can be
 * run again from these alone. Credentials are masked in it.
 */
export const agentCallSchema = z.object({
  name: z.string(),
  /** The phase that it was asked in, and of which revision. */
  phase: z.string().optional(),
  revision: z.number().int().optional(),
  /** `revised`: a model's, after a person's message. `person`: a person's, in the place of another answer. */
  provenance: z.enum(['model', 'repaired', 'expert', 'revised', 'person']),
  /** The model that was asked; null when none is configured. */
  model: z.string().nullable(),
  /** Why the model's answer was not (wholly) used; null when it was, or when none was asked. */
  why: z.string().nullable(),
  seed: z.number().int().nullable(),
  /** Requests to the model, repairs included. */
  calls: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
  ms: z.number().nonnegative(),
  /** The whole conversation, answers and repairs included; empty when no model was asked. */
  messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })),
  exchanges: z.array(agentExchangeSchema),
  /** What the cycle went on with. */
  answer: z.json(),
})
export type AgentCall = z.infer<typeof agentCallSchema>

/** Document of a cycle's vault: the recorded calls that a replay answers from. */
export const RECORDINGS = 'recordings'

/** What results tell of an agent: all its calls together. */
export const agentSummarySchema = agentCallSchema.pick({
  name: true,
  provenance: true,
  calls: true,
  inputTokens: true,
  outputTokens: true,
  costUsd: true,
  ms: true,
})

/** Artefact `timing`: wall time that a phase took. */
export const timingRecordSchema = z.object({ phase: z.string(), revision: z.number().int(), ms: z.number() })
