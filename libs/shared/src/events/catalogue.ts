import { z } from 'zod'
import { approvableSchema, decisionSchema, defaultDecisionSchema } from '../artefacts/approval.js'
import { outcomeSchema } from '../artefacts/cycle.js'
import { artefactId } from '../ids.js'

/** How deliveries of an event are retried: delays between them, and how long one may be worked on before redelivery. */
export interface RetryPolicy {
  readonly ackWaitMs: number
  readonly delaysMs: readonly number[]
}

/** Accepting a message is one short transaction, so one policy fits all. */
const ACCEPT: RetryPolicy = { ackWaitMs: 5_000, delaysMs: [200, 1000, 5000, 15_000, 60_000] }

const event = <S extends z.ZodType>(version: number, schema: S, retry: RetryPolicy = ACCEPT) => ({
  version,
  schema,
  retry,
})
const revision = z.number().int().nonnegative()
/** A phase that waits for people, and what it asks them. */
const approval = z.object({ proposal: artefactId, service: z.string(), phase: z.string(), what: approvableSchema })

/**
 * Every event: key → version, data, retry policy. Data carry references to artefacts, never bodies. The subject of an
 * event is `ordeal.<tenant>.<cycle>.<key with dots>`.
 */
export const catalogue = {
  /** A cycle was accepted by the gateway; its files lie in the vault under `input`, its settings in the artefact. */
  'cycle.requested': event(1, z.object({ options: artefactId, deadlineMs: z.number() })),
  /** Graph, findings and r0 are known. */
  'cycle.preprocessed': event(1, z.object({ graph: artefactId, findings: artefactId, manifests: artefactId })),
  /** Hypothesis asks experiment to deploy r0, to measure baselines and to break each target once. */
  'measurement.requested': event(1, z.object({ graph: artefactId, manifests: artefactId, request: artefactId })),
  'measurement.finished': event(1, z.object({ measurement: artefactId })),
  /** The hypothesis is frozen. */
  'hypothesis.formed': event(1, z.object({ hypothesis: artefactId })),
  'experiment.planned': event(1, z.object({ plan: artefactId })),
  'experiment.started': event(1, z.object({ plan: artefactId, revision })),
  'experiment.finished': event(1, z.object({ run: artefactId, hypothesis: artefactId })),
  /** A run was judged and the cycle goes on: improvement is asked for the next revision. */
  'verdict.reached': event(
    1,
    z.object({ verdict: artefactId, diagnosis: artefactId, run: artefactId, hypothesis: artefactId }),
  ),
  /** The next revision to test with the same hypothesis. */
  'revision.proposed': event(1, z.object({ revision: artefactId, manifests: artefactId, hypothesis: artefactId })),
  /** No further revision is worth a run; `rejected` (a revision artefact) says which ideas were left and why. */
  'improvement.exhausted': event(1, z.object({ reason: z.string(), rejected: artefactId.nullable() })),
  /** The outcome is known and the report written; experiment cleans up. */
  'cycle.concluded': event(1, z.object({ outcome: outcomeSchema, results: artefactId })),
  /** Clean-up was verified (or could not be, and `problem` says so). */
  'cycle.finished': event(1, z.object({ outcome: outcomeSchema, results: artefactId, problem: z.string().nullable() })),
  'cycle.cancel-requested': event(1, z.object({ by: z.string() })),
  /** A phase is suspended until people have answered, or until `expiresAt`. */
  'approval.requested': event(1, approval.extend({ expiresAt: z.iso.datetime(), byDefault: defaultDecisionSchema })),
  /** `by` is null when nobody answered in time. */
  'approval.given': event(1, approval.extend({ decision: decisionSchema, by: z.string().nullable() })),
  /** A phase ended for good without its result; analysis concludes the cycle from it (ADR 4). */
  'phase.failed': event(1, z.object({ service: z.string(), phase: z.string(), code: z.string(), message: z.string() })),
} as const

export type EventKey = keyof typeof catalogue
export type EventData<K extends EventKey> = z.infer<(typeof catalogue)[K]['schema']>

/** Which service consumes what. Handlers are a mapped type over this, so a missing one does not compile. */
export const subscriptions = {
  hypothesis: ['cycle.requested', 'measurement.finished', 'approval.given', 'cycle.cancel-requested'],
  experiment: [
    'measurement.requested',
    'hypothesis.formed',
    'revision.proposed',
    'cycle.concluded',
    'cycle.cancel-requested',
  ],
  analysis: [
    'cycle.requested',
    'experiment.finished',
    'improvement.exhausted',
    'phase.failed',
    'cycle.cancel-requested',
  ],
  improvement: ['verdict.reached', 'approval.given', 'cycle.cancel-requested'],
  gateway: Object.keys(catalogue) as EventKey[],
} as const satisfies Record<string, readonly EventKey[]>

export type ServiceName = keyof typeof subscriptions
export type ConsumedBy<S extends ServiceName> = (typeof subscriptions)[S][number]

/** Stream, subjects and durable names: the one place that spells them. */
export const STREAM = 'ORDEAL'
export const subjectOf = (tenant: string, cycle: string, key: EventKey): string => `ordeal.${tenant}.${cycle}.${key}`
