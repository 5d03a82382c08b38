import { durationSchema } from '@ordeal/shared'
import { z } from 'zod'

/** An object as a manifest has it. */
const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
})

/** The server is to refuse it; an answer that differs from this stops a recording. */
const refused = z.boolean().default(false)

const stepSchema = z.union([
  z.strictObject({ apply: z.array(manifestSchema).min(1), refused }),
  z.strictObject({
    patch: z.string(),
    with: z.record(z.string(), z.unknown()),
    strategic: z.boolean().default(false),
    refused,
  }),
  z.strictObject({
    delete: z.string(),
    cascade: z.enum(['Background', 'Foreground', 'Orphan']).default('Background'),
    grace: z.int().min(0).optional(),
    refused,
  }),
  z.strictObject({ evict: z.string(), refused }),
  /** Requests from a pod of the cluster, at a constant rate until the end. */
  z.strictObject({
    traffic: z.string(),
    rate: z.number().positive().default(5),
    timeout: durationSchema.default(1000),
  }),
  z.strictObject({ until: z.string(), within: durationSchema.default(90_000) }),
  z.strictObject({ advance: durationSchema }),
])
export type Step = z.output<typeof stepSchema>

/**
 * What runs on both clusters. In its text `${ns}` stands for the namespace of the run, also as a name for objects that
 * live in none. Targets are `Kind/name`, `Kind{label=value}` or, of several, `Kind{label=value}[0]`.
 */
export const scenarioSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,40}$/),
  what: z.string(),
  /** How far apart (ms) the times of one change may lie, beside a tenth of the time since its step began. */
  band: durationSchema.default(3000),
  /** A value that stands for less than this (ms) need not be seen: controllers and kubelets put changes together. */
  blink: durationSchema.default(1000),
  /** How far apart the shares of answered requests may lie. */
  share: z.number().default(0.15),
  /** It changes the set of nodes or depends on it, so no other that does may run beside it. */
  nodes: z.boolean().default(false),
  steps: z.array(stepSchema).min(1),
})
export type Scenario = z.output<typeof scenarioSchema>
