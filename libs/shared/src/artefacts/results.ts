import { z } from 'zod'
import { agentSummarySchema } from './agent-call.js'
import { approvalSummarySchema } from './approval.js'
import { outcomeSchema } from './cycle.js'
import { findingSchema } from './graph.js'
import { scenarioSchema, steadyStateSchema } from './hypothesis.js'
import { reasonSchema } from './reason.js'
import { changeSchema, costSchema, rejectedSchema } from './revision.js'
import { checkSchema, diagnosisSchema, injectionSchema, intensitySchema, recoverySchema, windowsSchema } from './run.js'

const timestamp = z.iso.datetime()

/** The contract of `results.json` (design §7), published as `docs/results.schema.json`. */
export const resultsSchema = z.object({
  schema: z.literal('ordeal.results/v1'),
  cycle: z.object({
    id: z.string(),
    seed: z.number().int(),
    outcome: outcomeSchema,
    /** A code that says why, for an outcome that is no verdict: a reason of a run, or the code of what failed. */
    reason: z.string().nullable(),
    message: z.string().nullable(),
    startedAt: timestamp,
    finishedAt: timestamp,
    cluster: z.object({
      kind: z.enum(['embedded', 'kubernetes']),
      version: z.string().nullable(),
      assumptions: z.array(z.string()),
    }),
  }),
  summary: z.object({
    application: z.string(),
    manifests: z.array(z.string()),
    instructions: z.string().nullable(),
    /** The cycle in a few sentences; null for one that came to no verdict. */
    text: z.string().nullable().optional(),
  }),
  findings: z.array(findingSchema.pick({ rule: true, severity: true, object: true, path: true, message: true })),
  hypothesis: z
    .object({
      steadyStates: z.array(
        steadyStateSchema.pick({
          id: true,
          statement: true,
          target: true,
          probe: true,
          threshold: true,
          baseline: true,
          negativeControl: true,
        }),
      ),
      scenario: scenarioSchema,
    })
    .nullable(),
  runs: z.array(
    z.object({
      revision: z.number().int(),
      verdict: z.enum(['held', 'refuted', 'inconclusive']),
      /** Set when the verdict is inconclusive. */
      reason: reasonSchema.nullable(),
      /** Which attempt began it, where earlier ones were cut short; it has nothing of them. Absent for the first. */
      attempt: z.number().int().min(2).optional(),
      /** How often it was gone on with after its service had been away. Absent for never. */
      resumed: z.number().int().positive().optional(),
      hypothesisHash: z.string(),
      windows: windowsSchema,
      /** Set when the scenario's faults have a ladder: which of their strengths this is, of how many (0: the weakest). */
      intensity: intensitySchema.optional(),
      injections: z.array(
        injectionSchema.pick({ fault: true, targets: true, evidence: true, replaced: true, goneAfterMs: true }),
      ),
      /** The components that were hit, and when each had its ready pods back. Absent where the run ended before its time. */
      recovery: z.array(recoverySchema).optional(),
      checks: z.array(checkSchema),
    }),
  ),
  diagnosis: z.array(diagnosisSchema),
  revisions: z.array(
    z.object({
      number: z.number().int(),
      parent: z.number().int().nullable(),
      kept: z.boolean(),
      changes: z.array(changeSchema),
      cost: costSchema,
      rejected: z.array(rejectedSchema),
    }),
  ),
  score: z.object({ before: z.number().nullable(), after: z.number().nullable(), formula: z.string() }),
  agents: z.array(agentSummarySchema),
  /** What people decided, in order; absent when none were asked. */
  approvals: z.array(approvalSummarySchema).optional(),
  /** Wall time of each phase, in milliseconds. */
  timings: z.object({ phases: z.record(z.string(), z.number()) }),
  /** Money of each phase, in US dollars. */
  cost: z.object({ phases: z.record(z.string(), z.number()) }),
})
export type Results = z.infer<typeof resultsSchema>
