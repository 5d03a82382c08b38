import { z } from 'zod'
import { objectId } from './graph.js'
import { reasonSchema, runProblem } from './reason.js'

/** An instant of the cluster's clock, in milliseconds since the Unix epoch. */
const instant = z.number()
const interval = z.object({ from: instant, to: instant })

/** The windows that really happened. */
export const windowsSchema = z.object({ pre: interval, fault: interval, post: interval })
export type Windows = z.infer<typeof windowsSchema>

/** One timed reading of a probe. `value` is the measured number (ready pods) where the probe has one. */
export const sampleSchema = z.object({
  /** When the reading was due: open loop, so a late answer does not move it. */
  at: instant,
  ok: z.boolean(),
  latencyMs: z.number().nullable(),
  value: z.number().nullable(),
  error: z.string().nullable(),
})
export type Sample = z.infer<typeof sampleSchema>

/** Samples by steady state, in time order. */
export const samplesSchema = z.record(z.string(), z.array(sampleSchema))
export type Samples = z.infer<typeof samplesSchema>

/** Proof, in two halves, that a fault touched its targets: the injector's record and an effect at the target. */
export const evidenceSchema = z.object({
  record: z.string().nullable(),
  /** Set when something showed at every target. */
  effect: z.string().nullable(),
  /** What showed, by pod. */
  shown: z.record(z.string(), z.string()).optional(),
})

export const injectionSchema = z.object({
  fault: z.string(),
  /** Pods hit, by name. */
  targets: z.array(z.string()),
  evidence: evidenceSchema,
  injectedAt: instant.nullable(),
  /** When its removal was verified; null when it could not be. */
  recoveredAt: instant.nullable(),
  /** How long the removal took until it was verified, in ms. */
  goneAfterMs: z.number().nonnegative().optional(),
  /** Targets that were lost to the fault while it was in force: it did not cover what came in their place. */
  replaced: z.array(z.object({ pod: z.string(), what: z.string() })).optional(),
})
export type Injection = z.infer<typeof injectionSchema>

/**
 * Whether a component that was hit has its ready pods back: how long after the end of the last fault, in ms, as it was
 * first seen (a run that was taken up may have seen it late); null when not by its deadline, and why.
 */
export const recoverySchema = z.object({
  component: objectId,
  healthyAfterMs: z.number().nonnegative().nullable(),
  problem: z.string().nullable(),
})

/** Something the cluster reported during a run: an event of Kubernetes, a change of pods. */
export const observationSchema = z.object({ at: instant, object: objectId, what: z.string() })

/** A step of the ladder of a scenario's faults. */
export const intensitySchema = z.object({ step: z.number().int().nonnegative(), of: z.number().int().min(2) })

/** One execution of the plan on one revision. `problem` says why it cannot be judged; null when it can. */
export const runSchema = z.object({
  revision: z.number().int().nonnegative(),
  /**
   * Which attempt began it, where earlier ones were cut short (a crash, an outage, a restart): whatever they did was
   * undone first, the application had settled again, and nothing here is of them. Absent for the first.
   */
  attempt: z.number().int().min(2).optional(),
  /** How often it was gone on with after its service had been away, its timeline kept. Absent for never. */
  resumed: z.number().int().positive().optional(),
  /** Which of the strengths of its faults it had, of how many (0: as the scenario has them). Absent without a ladder. */
  intensity: intensitySchema.optional(),
  hypothesisHash: z.string(),
  windows: windowsSchema,
  injections: z.array(injectionSchema),
  /** The components that were hit, after the last fault. Absent where the run ended before its time. */
  recovery: z.array(recoverySchema).optional(),
  samples: samplesSchema,
  observations: z.array(observationSchema),
  problem: z
    .object({
      reason: runProblem,
      message: z.string(),
    })
    .nullable(),
})
export type Run = z.infer<typeof runSchema>

export const windowName = z.enum(['pre', 'fault', 'post'])
export type WindowName = z.infer<typeof windowName>

/** A steady state judged in one window. */
export const checkSchema = z.object({
  steadyState: z.string(),
  window: windowName,
  outcome: z.enum(['passed', 'failed', 'not-measured']),
  samples: z.number().int(),
  failed: z.number().int(),
  /** The worst of it, in words: `no answer for 14.2 s`. */
  worst: z.string(),
  /** Time from the end of the fault window until it was normal for good; null when that never came or does not apply. */
  recoveredAfterMs: z.number().nullable(),
})
export type Check = z.infer<typeof checkSchema>

/** `reason` is a code, set whenever the verdict is inconclusive. */
export const verdictSchema = z.object({
  revision: z.number().int(),
  verdict: z.enum(['held', 'refuted', 'inconclusive']),
  reason: reasonSchema.nullable(),
  message: z.string().nullable(),
  checks: z.array(checkSchema),
  score: z.number().min(0).max(100),
  /** Set for revisions after r0: whether it does better than its parent, and no check that held now fails. */
  comparison: z.object({ better: z.boolean(), regressions: z.array(z.string()) }).nullable(),
})
export type Verdict = z.infer<typeof verdictSchema>

/** Why a run was refuted. `path` leads from the cause to where a user sees it. */
export const diagnosisSchema = z.object({
  revision: z.number().int(),
  cause: z.string(),
  component: objectId,
  /** The workload that the rules blame, where a model blames another: it is mended as if no model had spoken. */
  byRules: objectId.optional(),
  path: z.array(objectId),
  evidence: z.array(z.string()),
})
export type Diagnosis = z.infer<typeof diagnosisSchema>

/** Artefact `cluster`: what the runs ran on, and what its results assume (put by experiment once it is connected). */
export const clusterSchema = z.object({
  kind: z.enum(['embedded', 'kubernetes']),
  version: z.string().nullable(),
  assumptions: z.array(z.string()),
})
export type ClusterFacts = z.infer<typeof clusterSchema>
