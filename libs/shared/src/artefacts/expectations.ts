import { z } from 'zod'
import { durationSchema } from '../duration.js'

const ms = z.number().nonnegative()
const share = z.number().min(0).max(1)

/** What may happen to the application: an event, to how many pods of how many workloads, for how long. */
export const failureModelSchema = z.object({
  /**
   * `loss`: pods die. `slowness`: pods answer late. `isolation`: pods are cut off from the rest. `pressure`: pods have
   * to share their CPU with a load.
   */
  event: z.enum(['loss', 'slowness', 'isolation', 'pressure']),
  /** Of each workload that is hit: one pod, so many, all, or all that run on one node. */
  pods: z.union([z.enum(['one', 'all', 'node']), z.number().int().positive()]),
  /** How many different workloads are hit at the same moment. */
  together: z.number().int().min(1).max(5),
  /** Names of the workloads that may be hit; null for any. */
  workloads: z.array(z.string()).nullable(),
  /** Names of workloads that must not be hit. */
  spared: z.array(z.string()),
  /** How much later pods answer, for `slowness`. */
  latencyMs: ms,
  durationMs: z.number().positive(),
})
export type FailureModel = z.infer<typeof failureModelSchema>

/** What users put up with. Null where nothing is asked of the fault window. */
export const tolerancesSchema = z.object({
  /** Least share of good answers in the fault window. */
  minShare: share.nullable(),
  /** Longest total outage in the fault window. */
  maxOutageMs: ms.nullable(),
  /** Normal again from this long after the end of the fault window. */
  normalAfterMs: ms,
})
export type Tolerances = z.infer<typeof tolerancesSchema>

/** The load that a run puts on each entry point. `paths` by the name of a service; `/` where none is given. */
export const trafficSchema = z.object({
  requestsPerSecond: z.number().positive().max(1000),
  paths: z.record(z.string(), z.string().regex(/^\/\S*$/, "does not begin with '/'")),
})
export type Traffic = z.infer<typeof trafficSchema>

/** A check of the user's own, as code (docs/scripts.md). */
export const scriptCheckSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/, 'lower-case letters, digits and dashes'),
  statement: z.string().min(1).max(300),
  /** Name of the service that it is about, and that it may ask. */
  service: z.string(),
  code: z.string().min(1).max(16_384),
  everyMs: z.number().min(500).max(60_000),
})
export type ScriptCheck = z.infer<typeof scriptCheckSchema>

/** Artefact `expectations`: what is assumed of failures, tolerances and traffic, from defaults, `ordeal.yaml` and words. */
export const expectationsSchema = z.object({
  failureModel: failureModelSchema,
  tolerances: tolerancesSchema,
  /** The tolerances that the user set, in `ordeal.yaml` or in words; nobody makes those stricter. */
  askedFor: z.array(tolerancesSchema.keyof()).optional(),
  traffic: trafficSchema,
  checks: z.array(scriptCheckSchema),
  /** Base URL of a Prometheus that scripts may query; null for none. */
  prometheusUrl: z.url().nullable(),
  /** How images behave on the embedded cluster, by image; what it cannot understand, the cluster refuses by name. */
  images: z.record(z.string(), z.unknown()).optional(),
  /** Where it is not the default, in words for people; and what was said but not understood. */
  notes: z.array(z.string()),
})
export type Expectations = z.infer<typeof expectationsSchema>

/** Design §5.2: what holds when the user says nothing. */
export const DEFAULT_EXPECTATIONS: Expectations = {
  failureModel: {
    event: 'loss',
    pods: 'one',
    together: 1,
    workloads: null,
    spared: [],
    latencyMs: 1000,
    durationMs: 60_000,
  },
  tolerances: { minShare: 0.95, maxOutageMs: 5000, normalAfterMs: 5000 },
  traffic: { requestsPerSecond: 10, paths: {} },
  checks: [],
  prometheusUrl: null,
  notes: [],
}

/** `95%` or `0.95`. */
const percentage = z
  .union([
    z.number(),
    z.string().regex(/^\d+(\.\d+)?\s*%$/, "is neither a share like 0.95 nor a percentage like '95%'"),
  ])
  .transform((value) => (typeof value === 'number' ? value : Number(value.replace('%', '').trim()) / 100))
  .pipe(share)

/** What `ordeal.yaml` may say; everything may be left out. Durations are strict: `1.5s`, `500ms`. */
export const ordealFileSchema = z.strictObject({
  failureModel: z
    .strictObject({
      event: failureModelSchema.shape.event,
      pods: failureModelSchema.shape.pods,
      together: failureModelSchema.shape.together,
      workloads: z.array(z.string()).min(1),
      spared: z.array(z.string()),
      latency: durationSchema,
      duration: durationSchema,
    })
    .partial()
    .optional(),
  tolerances: z
    .strictObject({
      /** `none` asks nothing of the fault window. */
      success: z.union([z.literal('none').transform(() => null), percentage]),
      outage: z.union([z.literal('any').transform(() => null), durationSchema]),
      normalAfter: durationSchema,
    })
    .partial()
    .optional(),
  traffic: z
    .strictObject({ rate: trafficSchema.shape.requestsPerSecond, paths: trafficSchema.shape.paths })
    .partial()
    .optional(),
  /** Checks as code: each runs every so often (1s without a word) and fails when an assertion does not hold. */
  checks: z
    .array(
      scriptCheckSchema
        .omit({ everyMs: true, code: true })
        .extend({ script: scriptCheckSchema.shape.code, every: durationSchema.default(1000) }),
    )
    .max(20)
    .optional(),
  prometheus: z.url().optional(),
  /** Behaviour of images on the embedded cluster, by image. */
  images: z.record(z.string(), z.unknown()).optional(),
})
export type OrdealFile = z.infer<typeof ordealFileSchema>

/** A part of the expectations: what a file or a sentence changes. */
export interface ExpectationsPatch {
  readonly failureModel?: Partial<FailureModel>
  readonly tolerances?: Partial<Tolerances>
  readonly traffic?: Partial<Traffic>
  readonly checks?: readonly ScriptCheck[]
  readonly prometheusUrl?: string
  readonly images?: Expectations['images']
}

/** `base` with what a patch says in its place; `notes` are added. */
export const withPatch = (base: Expectations, patch: ExpectationsPatch, notes: readonly string[]): Expectations => ({
  failureModel: { ...base.failureModel, ...patch.failureModel },
  tolerances: { ...base.tolerances, ...patch.tolerances },
  ...askedForIn(base, patch),
  traffic: { ...base.traffic, ...patch.traffic, paths: { ...base.traffic.paths, ...patch.traffic?.paths } },
  checks: [...base.checks, ...(patch.checks ?? [])],
  prometheusUrl: patch.prometheusUrl ?? base.prometheusUrl,
  ...(base.images || patch.images ? { images: { ...base.images, ...patch.images } } : {}),
  notes: [...base.notes, ...notes],
})

function askedForIn(base: Expectations, { tolerances = {} }: ExpectationsPatch): Pick<Expectations, 'askedFor'> {
  const askedFor = new Set([...(base.askedFor ?? []), ...(Object.keys(tolerances) as (keyof Tolerances)[])])
  return askedFor.size > 0 ? { askedFor: [...askedFor] } : {}
}
