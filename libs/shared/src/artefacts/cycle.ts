import { z } from 'zod'
import { APPROVAL_ROUNDS, approvableSchema, defaultDecisionSchema, approvalTermsSchema } from './approval.js'
import { guardText } from './guard.js'

/**
 * A user's files. `content` is text: a cycle's input is manifests, so binary files have no place in it. The exception are
 * charts that a Helm chart holds packed, in base64.
 */
export const bundleSchema = z.object({
  files: z
    .array(z.object({ path: z.string(), content: z.string(), encoding: z.literal('base64').optional() }))
    .max(5000),
})
export type Bundle = z.infer<typeof bundleSchema>

/** Bounds on what models may cost a cycle; null for none of that kind. Money counts only where the price is known. */
export const spendLimitsSchema = z.object({
  calls: z.number().int().positive().nullable().default(60),
  tokens: z.number().int().positive().nullable().default(400_000),
  usd: z.number().positive().nullable().default(null),
})
export type SpendLimits = z.infer<typeof spendLimitsSchema>

/** Settings of one cycle, resolved: every default is filled in. */
export const cycleOptionsSchema = z.object({
  subpath: z.string().nullable().default(null),
  profile: z.string().nullable().default(null),
  values: z.array(z.string()).default([]),
  /** The application's name where its files tell none: the command line gives that of the folder. */
  application: z.string().nullable().default(null),
  /** `embedded`, a cluster that the tenant registered, `in-cluster`, or a context of the service's kubeconfig. */
  cluster: z.string().default('embedded'),
  /** Image of the prober where the cluster must pull it; null means the one that is built in or was loaded. */
  proberImage: z.string().nullable().default(null),
  /** Consent to objects of the whole cluster that the input brings; on an embedded cluster none is needed. */
  allowClusterScoped: z.boolean().default(false),
  /**
   * A namespace in which the application stands already: only changes of revisions are made there, and taken back at the
   * end. Null for namespaces of the cycle's own.
   */
  inPlace: z.string().nullable().default(null),
  /** Consent to faults on what stands in that namespace. */
  confirmInPlace: z.boolean().default(false),
  instructions: z.string().nullable().default(null),
  /** A model's name at the tenant's or the service's endpoint; `none` for the expert rules alone; null for the default. */
  model: z.string().nullable().default(null),
  budget: spendLimitsSchema.prefault({}),
  deadlineMs: z
    .number()
    .positive()
    .default(30 * 60_000),
  maxSteadyStates: z.number().int().positive().max(100).default(12),
  maxImprovements: z.number().int().nonnegative().max(20).default(3),
  /** Guards that stop a run before its time: off unless given. */
  abortWhen: z.array(guardText).max(20).default([]),
  /** What people are asked to approve before the cycle goes on with it, and on what terms. */
  approve: z.array(approvableSchema).max(20).default([]),
  approveTimeoutMs: approvalTermsSchema.shape.timeoutMs.default(30 * 60_000),
  approveDefault: defaultDecisionSchema.default('reject'),
  seed: z.number().int().nonnegative().default(1),
})
export type CycleOptions = z.infer<typeof cycleOptionsSchema>

/**
 * How long a cycle can last, in milliseconds: its deadline, and what people may take, for whom the deadline stands still:
 * every round about everything that they are asked, for each revision. What a cycle holds elsewhere is held that long.
 */
export function longestMs(
  options: Pick<CycleOptions, 'deadlineMs' | 'approve' | 'approveTimeoutMs' | 'maxImprovements'>,
): number {
  const { deadlineMs, approve, approveTimeoutMs, maxImprovements } = options
  return deadlineMs + approve.length * APPROVAL_ROUNDS * (1 + maxImprovements) * approveTimeoutMs
}

export const outcomeSchema = z.enum(['resilient', 'improved', 'vulnerable', 'inconclusive', 'cancelled', 'failed'])
export type Outcome = z.infer<typeof outcomeSchema>

/** Artefact `summary`: what the user handed in. `manifests` are file paths relative to the input. */
export const cycleSummarySchema = z.object({
  application: z.string(),
  manifests: z.array(z.string()),
  /** What the files hold that is not part of what is tested, such as a chart's hooks. */
  notes: z.array(z.string()).default([]),
})
