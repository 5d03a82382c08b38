import { z } from 'zod'
import { MAX_CODE } from './script/protocol.js'

/**
 * The prober's contract with whoever deploys it: its configuration arrives as JSON in the environment variable
 * ORDEAL_PROBER, its samples leave as JSON lines in its log.
 */
const common = { id: z.string().min(1) }

/** Open loop: a request is due every 1000/ratePerSecond ms, whether or not the last one was answered. */
const httpProbeConfig = z.object({
  ...common,
  kind: z.literal('http'),
  url: z.string(),
  ratePerSecond: z.number().positive().max(1000),
  timeoutMs: z.number().positive(),
  /** Sent along. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Also write down what the answer says, where the host can tell. */
  look: z.boolean().optional(),
})

/** Lists pods at `path` (with its labelSelector) of the Kubernetes API every `periodMs`; value = how many are ready. */
const k8sProbeConfig = z.object({
  ...common,
  kind: z.literal('k8s'),
  path: z.string(),
  minReady: z.number().int().positive(),
  periodMs: z.number().positive(),
})

/**
 * Reads what a pod uses, every `periodMs`, from the metrics API at `path` (a list of PodMetrics in which `pod` is one);
 * value = millicores of processor or bytes of memory, and the line says when they were taken.
 */
const loadProbeConfig = z.object({
  ...common,
  kind: z.literal('load'),
  path: z.string(),
  pod: z.string(),
  resource: z.enum(['cpu', 'memory']),
  periodMs: z.number().positive(),
})

/**
 * Runs a script every `periodMs`; it fails when an assertion does not hold. It reaches nothing but `url` (with paths of its
 * own), the pods at `podsPath`, and Prometheus where there is one.
 */
const scriptProbeConfig = z.object({
  ...common,
  kind: z.literal('script'),
  code: z.string().max(MAX_CODE),
  url: z.string(),
  podsPath: z.string(),
  prometheusUrl: z.string().nullable(),
  periodMs: z.number().positive(),
  timeoutMs: z.number().positive(),
})

export const proberConfigSchema = z.object({
  probes: z.array(z.discriminatedUnion('kind', [httpProbeConfig, k8sProbeConfig, loadProbeConfig, scriptProbeConfig])),
})
export type ProberConfig = z.infer<typeof proberConfigSchema>

/**
 * One line of the log. `at` is when the reading was due, in milliseconds since the Unix epoch by the prober's clock.
 * Lines come in order of completion, not of `at`.
 */
export const sampleLineSchema = z.object({
  probe: z.string(),
  at: z.number(),
  ok: z.boolean(),
  latencyMs: z.number().nullable(),
  value: z.number().nullable(),
  error: z.string().nullable(),
  /** Of a probe that looks: the same for equal answers, whatever their date. */
  content: z.string().optional(),
  /** Of a probe that looks: the answer's own date, in milliseconds since the Unix epoch, to the second. */
  dateMs: z.number().optional(),
  /** Of figures that somebody else took: when, in milliseconds since the Unix epoch, to the second. */
  takenAt: z.number().optional(),
})
export type SampleLine = z.infer<typeof sampleLineSchema>

/** Name of the environment variable that holds the configuration. */
export const PROBER_ENV = 'ORDEAL_PROBER'
/** Image of the prober: built in on the embedded cluster, built by `npm run prober:image` for a real one. */
export const PROBER_IMAGE = 'ordeal/prober:1'
