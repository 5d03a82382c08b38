import {
  agentCallSchema,
  answerSchema,
  approvableSchema,
  approvalSchema,
  approvalTermsSchema,
  decisionSchema,
  defaultDecisionSchema,
  proposalSchema,
  bundleSchema,
  catalogue,
  cycleId,
  cycleOptionsSchema,
  endpointSchema,
  outcomeSchema,
  tenantId,
  type EventKey,
} from '@ordeal/shared'
import { z } from 'zod'
import { kubeconfigSchema } from './kubeconfig.js'

/** What travels over the gateway's HTTP interface. The command line reads answers with the same schemas. */

/** A DNS label: it names a project in paths, subjects and lists. */
const projectName = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits and dashes')

const REFERENCES =
  'give either `files` (an upload) or `cycle` (the id of an earlier cycle, whose files are used again); ' +
  'no other reference, such as a repository or an address, is supported'

/** What a cycle is about: uploaded files, or a reference to those of an earlier cycle of the same tenant. */
const inputSchema = z
  .strictObject(
    {
      files: bundleSchema.shape.files.min(1, 'no file in it').optional(),
      cycle: cycleId.optional(),
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? `${issue.keys.join(', ')}: ${REFERENCES}` : undefined) },
  )
  .refine((input) => (input.files === undefined) !== (input.cycle === undefined), REFERENCES)
  .describe(`Either \`files\`, or \`cycle\`: the id of an earlier cycle of the tenant, whose files are used again`)

/** Body of `POST /v1/cycles`. */
export const startCycleSchema = z.strictObject({
  project: projectName.default('default'),
  input: inputSchema,
  options: cycleOptionsSchema.prefault({}),
  /** Calls of agents of an earlier cycle: models are not asked, their recorded answers are given again. */
  recordings: z.array(agentCallSchema).max(1000).optional(),
  /** Approvals of an earlier cycle: where its proposals are made again, people are not asked again. */
  approvals: z.array(approvalSchema).max(1000).optional(),
})
export type StartCycle = z.output<typeof startCycleSchema>
export type StartCycleBody = z.input<typeof startCycleSchema>

/** Body of `POST /v1/cycles/:id/approvals/:proposal`. */
export const answerProposalSchema = z.strictObject({
  decision: decisionSchema,
  /** What is to be different, for `revise`; else why, for those who read it later. */
  message: z.string().max(4000).optional(),
  /** For `replace`: of the form that the proposal asks for. */
  document: z.json().optional(),
})
export type AnswerProposal = z.infer<typeof answerProposalSchema>

/** What people are asked: the proposal, until when, and what became of it. */
export const approvalViewSchema = proposalSchema.extend({
  /** Names the proposal in paths. */
  proposal: z.string(),
  phase: z.string(),
  /** `over`: the cycle ended, or is being cancelled, before anybody answered. */
  state: z.enum(['open', 'decided', 'expired', 'over']),
  askedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  byDefault: defaultDecisionSchema,
  answer: answerSchema.omit({ document: true }).nullable(),
})
export type ApprovalView = z.infer<typeof approvalViewSchema>
export const approvalListSchema = z.object({ approvals: z.array(approvalViewSchema) })
export type ApprovalList = z.infer<typeof approvalListSchema>

/** What people have to approve in every cycle of a tenant. */
export const approvalPolicySchema = z.strictObject({
  approve: z.array(approvableSchema).max(20),
  /** Null for the default of 30 minutes. */
  timeoutMs: approvalTermsSchema.shape.timeoutMs.nullable().default(null),
  byDefault: defaultDecisionSchema.default('reject'),
})
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>

const modelLimitsSchema = z.strictObject({
  tokens: z.number().int().positive().nullable().default(null),
  usd: z.number().positive().nullable().default(null),
})

/** Body of `PUT /v1/model`: the endpoint that cycles of this tenant ask. */
export const setModelSchema = z.strictObject(endpointSchema.shape)

/** A tenant's model without what opens it, and what models cost the tenant this month. Limits are null for none. */
export const modelViewSchema = z.object({
  endpoint: z.object({ baseUrl: z.string(), model: z.string() }).nullable(),
  month: z.object({ tokens: z.number(), usd: z.number() }),
  limits: z.object({ tokens: z.number().int().positive().nullable(), usd: z.number().positive().nullable() }),
})
export type ModelView = z.infer<typeof modelViewSchema>

export const cycleStatus = z.enum(['queued', 'running', 'cancelling', 'finished'])
export type CycleStatus = z.infer<typeof cycleStatus>

/** A cycle as users see it: the gateway's projection of its events. */
export const cycleViewSchema = z.object({
  id: z.string(),
  project: z.string(),
  status: cycleStatus,
  /** Set when the cycle is finished, or concluded and being cleaned up. */
  outcome: outcomeSchema.nullable(),
  /** What went wrong with the clean-up, or why the cycle failed; null when nothing did. */
  problem: z.string().nullable(),
  lastEvent: z.string(),
  revision: z.number().int().nonnegative(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
})
export type CycleView = z.infer<typeof cycleViewSchema>

/** Answer of `GET /v1/cycles`: newest first; `next` is the cursor of the next page, null on the last. */
export const cyclePageSchema = z.object({ cycles: z.array(cycleViewSchema), next: z.string().nullable() })
export type CyclePage = z.infer<typeof cyclePageSchema>

/** A document of a cycle without its body. */
export const artefactEntrySchema = z.object({
  id: z.string(),
  kind: z.string(),
  name: z.string().nullable(),
  /** Null for a document of the whole cycle. */
  revision: z.number().int().nonnegative().nullable(),
})
export type ArtefactEntry = z.infer<typeof artefactEntrySchema>
export const artefactListSchema = z.object({ artefacts: z.array(artefactEntrySchema) })

/** Kind of an entry of the event log: an event of the catalogue, or a note of progress. */
export const cycleEventType = z.enum([...(Object.keys(catalogue) as EventKey[]), 'progress'])

/** One message of `GET /v1/cycles/:id/events`; `sequence` is also its SSE id, dense and ascending per cycle. */
export const cycleEventSchema = z.object({
  sequence: z.number().int().positive(),
  type: cycleEventType,
  occurredAt: z.string(),
  revision: z.number().int().nonnegative(),
  data: z.record(z.string(), z.unknown()),
})
export type CycleEvent = z.infer<typeof cycleEventSchema>

/** Data of an entry of type `progress`. */
export const progressDataSchema = z.object({
  service: z.string(),
  phase: z.string(),
  kind: z.enum(['phase', 'step', 'fault', 'check', 'note']),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
})
export type ProgressData = z.infer<typeof progressDataSchema>

/** What a key may do: each role what those before it may, and its own. To stop a cycle needs none of them. */
export const roles = ['viewer', 'operator', 'editor', 'admin'] as const

/** Body of `POST /v1/keys`. */
export const createKeySchema = z.strictObject({
  /** Names the key to people, in lists and wherever something was done with it. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and dashes'),
  role: z.enum(roles).default('operator'),
  /** Null for a key that does not expire. */
  expiresAt: z.iso.datetime().nullable().default(null),
})

/** Answer of `POST /v1/keys`: the one time that `key` is shown. */
export const newKeySchema = z.object({
  id: z.string(),
  role: z.enum(roles),
  key: z.string(),
  expiresAt: z.iso.datetime().nullable(),
})
export type NewKey = z.infer<typeof newKeySchema>

export const keyViewSchema = z.object({
  id: z.string(),
  role: z.enum(roles),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
})
export type KeyView = z.infer<typeof keyViewSchema>
export const keyListSchema = z.object({ keys: z.array(keyViewSchema) })

/** Names that mean something else where a cycle names its cluster. */
const RESERVED = ['embedded', 'in-cluster']

/** Body of `POST /v1/clusters`. */
export const registerClusterSchema = z.strictObject({
  name: projectName.refine((name) => !RESERVED.includes(name), 'this name has a meaning of its own; choose another'),
  kubeconfig: kubeconfigSchema.describe('As `kubectl config view --raw --minify --flatten -o json` prints it'),
})

/** A registered cluster, without anything that opens it. */
export const clusterViewSchema = z.object({
  name: z.string(),
  server: z.string(),
  /** Where its pool of namespaces is kept, if it has one. */
  namespace: z.string().nullable(),
  createdAt: z.iso.datetime(),
})
export type ClusterView = z.infer<typeof clusterViewSchema>
export const clusterListSchema = z.object({ clusters: z.array(clusterViewSchema) })

/** Body of `POST /v1/tenants`. */
export const createTenantSchema = z.strictObject({
  id: tenantId,
  name: z.string().min(1).max(200).optional(),
  /** Unfinished cycles at once; null for the default. */
  activeCycles: z.number().int().nonnegative().max(100_000).nullable().default(null),
  /** What models may cost it in a calendar month; null for no limit of that kind. */
  models: modelLimitsSchema.prefault({}),
  /** What its people have to approve in every cycle; its administrators may change that. */
  approvals: approvalPolicySchema.prefault({ approve: [] }),
})

/** Answer of `POST /v1/tenants`, with its first administrator's key. */
export const newTenantSchema = z.object({ id: z.string(), name: z.string(), key: newKeySchema })
export type NewTenant = z.infer<typeof newTenantSchema>

/** An error answer (RFC 9457). `remedy` says what to do; `errors` name places in the body by JSON pointer. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  remedy: z.string().nullable().optional(),
  instance: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
})
export type Problem = z.infer<typeof problemSchema>

/** Documents that `GET /v1/cycles/:id/files/<name>` gives. */
export const reportFiles = ['report.html', 'report.md', 'junit.xml', 'findings.sarif'] as const
export type ReportFile = (typeof reportFiles)[number]
