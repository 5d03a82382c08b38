import { z } from 'zod'
import { faultSchema } from './fault.js'
import { objectId } from './graph.js'

/** Whole or fractional milliseconds. */
const ms = z.number().nonnegative()

/** Open-loop requests at a constant rate to a port of a service, directly or through an Ingress that leads there. A sample is good when the status is 200–399 in time. */
const httpProbe = z.object({
  kind: z.literal('http'),
  service: z.string(),
  port: z.number().int(),
  path: z.string(),
  /** The Ingress through which they go, and the host that they name (null where its rule is for every host). */
  through: z.object({ ingress: objectId, host: z.string().nullable() }).optional(),
  ratePerSecond: z.number().positive(),
  timeoutMs: ms,
})

/** Counts ready pods of a component by its labels. A sample is good when there are at least `minReady`. */
const k8sProbe = z.object({
  kind: z.literal('k8s'),
  selector: z.record(z.string(), z.string()),
  minReady: z.number().int().positive(),
  periodMs: ms,
})

/**
 * A check as code, in JavaScript against a small SDK (docs/scripts.md), run in a sandbox every `periodMs`. A sample is good
 * when no assertion fails. It reaches `service`:`port`, the pods of the sandbox, and Prometheus where one is given.
 */
const scriptProbe = z.object({
  kind: z.literal('script'),
  code: z.string().min(1).max(16_384),
  service: z.string(),
  port: z.number().int(),
  prometheusUrl: z.string().nullable(),
  periodMs: ms,
  timeoutMs: ms,
})

export const probeSchema = z.discriminatedUnion('kind', [httpProbe, k8sProbe, scriptProbe])
export type Probe = z.infer<typeof probeSchema>

/** What is asked of the samples of each window. */
export const thresholdSchema = z.object({
  /** An answer slower than this counts as a failed sample; null for probes without latency. */
  maxLatencyMs: ms.nullable(),
  fault: z.object({
    /** Least share of good samples, 0–1. */
    minShare: z.number().min(0).max(1),
    /** Longest run of time without a good sample. */
    maxOutageMs: ms,
  }),
  post: z.object({
    /** Normal again from this long after the end of the fault window. */
    normalAfterMs: ms,
    /** Least share of good samples from then on, 0–1. */
    minShare: z.number().min(0).max(1),
  }),
})
export type Threshold = z.infer<typeof thresholdSchema>

export const baselineSchema = z.object({
  samples: z.number().int(),
  failed: z.number().int(),
  latencyMs: z.object({ p50: ms, p99: ms }).nullable(),
})

export const negativeControlSchema = z.object({
  /** True when the check failed against the broken target, as it must. */
  failed: z.boolean(),
  how: z.string(),
  method: z.enum(['target-broken', 'stub']),
})

/** A steady state as drafted: not yet measured. */
export const steadyStateDraft = z.object({
  id: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/),
  statement: z.string(),
  target: objectId,
  /** 3 for what a user sees, 1 for a component. */
  weight: z.union([z.literal(3), z.literal(1)]),
  probe: probeSchema,
  threshold: thresholdSchema,
})
export const steadyStateSchema = steadyStateDraft.extend({
  baseline: baselineSchema,
  negativeControl: negativeControlSchema,
})
export type SteadyStateDraft = z.infer<typeof steadyStateDraft>
export type SteadyState = z.infer<typeof steadyStateSchema>

/** An event and its faults: the outer list in sequence, the inner at once. */
export const scenarioSchema = z.object({
  event: z.string(),
  reason: z.string(),
  faults: z.array(z.array(faultSchema).min(1)).min(1),
})
export type Scenario = z.infer<typeof scenarioSchema>

/** Lengths of the windows of a run. */
export const timingSchema = z.object({ preMs: ms, faultMs: ms, postMs: ms })

/** Frozen: from here on neither a threshold nor a target rule changes. `hash` is the artefact id of the rest. */
export const hypothesisSchema = z.object({
  steadyStates: z.array(steadyStateSchema).min(1),
  scenario: scenarioSchema,
  timing: timingSchema,
  /**
   * A share of good samples is asked of every stretch of so long within a window, so that a longer look or a further
   * step cannot thin out what failed; of the window as a whole where this is absent.
   */
  stretches: timingSchema.optional(),
  assumptions: z.array(z.string()),
  hash: z.string(),
})
export type Hypothesis = z.infer<typeof hypothesisSchema>

/** What hypothesis asks experiment to measure. */
export const measurementRequestSchema = z.object({ steadyStates: z.array(steadyStateDraft), baselineMs: ms })
export type MeasurementRequest = z.infer<typeof measurementRequestSchema>

/** What experiment measured: `settled: false` when r0 never came to work, with the cause found. */
export const measurementSchema = z.discriminatedUnion('settled', [
  z.object({ settled: z.literal(false), cause: z.string(), objects: z.array(objectId) }),
  z.object({
    settled: z.literal(true),
    settledAfterMs: ms,
    /**
     * Which attempt finished it, where earlier ones were cut short: what these had finished was kept, the rest measured
     * again. Absent for the first.
     */
    attempt: z.number().int().min(2).optional(),
    steadyStates: z.array(
      z.object({
        id: z.string(),
        baseline: baselineSchema,
        negativeControl: negativeControlSchema,
        /** Why its requests went to the service itself instead of through the Ingress; absent where they did not. */
        around: z.string().optional(),
      }),
    ),
  }),
])
export type Measurement = z.infer<typeof measurementSchema>
