import { z } from 'zod'
import { artefactId } from '../ids.js'

/** Proposals of whole phases: the hypothesis before it is frozen, a patch before it is deployed. */
const PHASES = ['hypothesis', 'improvement'] as const
/** Agents whose answers are used within those phases. */
const AGENTS = ['threshold', 'fault-scenario', 'fault-parameters', 'timeline', 're-binding', 'reflection'] as const

/** What people can be asked to approve. */
export const approvableSchema = z.enum([...PHASES, ...AGENTS])
export type Approvable = z.infer<typeof approvableSchema>

/** More rounds than these about one thing are no conversation: the last one is to approve or to reject. */
export const APPROVAL_ROUNDS = 5

/** What is decided when nobody answers in time. */
export const defaultDecisionSchema = z.enum(['approve', 'reject'])
export const decisionSchema = z.enum(['approve', 'revise', 'replace', 'reject'])
export type Decision = z.infer<typeof decisionSchema>

/** How long an answer is waited for, in milliseconds, and what is decided without one. */
export const approvalTermsSchema = z.object({
  timeoutMs: z
    .number()
    .int()
    .min(1000)
    .max(7 * 24 * 3_600_000),
  byDefault: defaultDecisionSchema,
})
export type ApprovalTerms = z.infer<typeof approvalTermsSchema>

/**
 * Artefact `proposal`: what people are asked to approve. Credentials are masked in it. A cycle that comes to the same
 * proposal again (after a crash, in a replay) comes to the same artefact.
 */
export const proposalSchema = z.object({
  what: approvableSchema,
  revision: z.number().int().nonnegative(),
  /** From 1; the next one after each answer that asks for something else. */
  round: z.number().int().positive(),
  /** One line. */
  title: z.string(),
  /** For people: a unified diff where there is something to compare with, else the whole. */
  text: z.string(),
  /** The proposal in the form of a replacement; null where it has none. */
  document: z.json(),
  /** JSON Schema of a replacement. */
  form: z.record(z.string(), z.json()),
  /** The decisions that are left: in the last round only to approve or to reject. */
  decisions: z.array(decisionSchema),
  /** Why the last answer could not be followed, or not wholly. */
  problems: z.array(z.string()),
})
export type Proposal = z.infer<typeof proposalSchema>

/** What a person adds to a decision; `message` also says why one was rejected. */
export const answerWordsSchema = z.object({ message: z.string().nullable(), document: z.json() })

/** An answer to a proposal. `by` is null when nobody answered in time. */
export const answerSchema = answerWordsSchema.extend({
  decision: decisionSchema,
  by: z.string().nullable(),
  at: z.iso.datetime(),
})
export type Answer = z.infer<typeof answerSchema>

/** Artefact `approval`: an answer, and to what. Credentials are masked in it. */
export const approvalSchema = answerSchema.extend({
  proposal: artefactId,
  ...proposalSchema.pick({ what: true, revision: true, round: true }).shape,
})
export type Approval = z.infer<typeof approvalSchema>

/** Document of a cycle's vault: the recorded approvals that a replay goes by. */
export const RECORDED_APPROVALS = 'recorded-approvals'

/** What results tell of an approval. */
export const approvalSummarySchema = approvalSchema.omit({ document: true, round: true })
