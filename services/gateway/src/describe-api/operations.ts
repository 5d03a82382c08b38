import { type ProblemKind } from '../api/problems.js'
import { type roles } from '../api/contract.js'

/** Names of the schemas of the contract, as they stand in the document. */
export type SchemaName =
  | 'StartCycle'
  | 'Cycle'
  | 'CyclePage'
  | 'CycleEvent'
  | 'ArtefactList'
  | 'Results'
  | 'Bundle'
  | 'CreateKey'
  | 'NewKey'
  | 'KeyList'
  | 'RegisterCluster'
  | 'RegisteredCluster'
  | 'ClusterList'
  | 'SetModel'
  | 'Model'
  | 'AnswerProposal'
  | 'Approval'
  | 'ApprovalList'
  | 'ApprovalPolicy'
  | 'CreateTenant'
  | 'NewTenant'

/** What a good answer holds: JSON of the contract, or text of a media type. */
export type Content = { readonly schema: SchemaName } | { readonly text: readonly string[] }

/** One operation of the HTTP interface, as the document shows it. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** With parameters in braces. */
  readonly path: string
  readonly summary: string
  /** Least role of the key; `installation` for the admin key of the installation. */
  readonly who: (typeof roles)[number] | 'installation'
  readonly body?: SchemaName
  readonly query?: readonly ('limit' | 'after' | 'project')[]
  readonly header?: readonly ('Idempotency-Key' | 'Last-Event-ID')[]
  readonly status: 200 | 201 | 202 | 204
  readonly content?: Content
  /** Besides those that every operation may answer. */
  readonly problems: readonly ProblemKind[]
}

/** What any operation may answer. */
export const COMMON_PROBLEMS: readonly ProblemKind[] = ['unauthorized', 'unavailable', 'internal']

const BODY_PROBLEMS = ['input-invalid', 'forbidden', 'too-large', 'media-type'] as const

/** Every operation but the health endpoints and this document's own. A spec holds it against the routes there are. */
export const operations: readonly Operation[] = [
  {
    id: 'startCycle',
    method: 'post',
    path: '/v1/cycles',
    summary: 'Start a cycle on uploaded files, or on those of an earlier cycle',
    who: 'operator',
    body: 'StartCycle',
    header: ['Idempotency-Key'],
    status: 202,
    content: { schema: 'Cycle' },
    problems: [...BODY_PROBLEMS, 'key-reused', 'quota'],
  },
  {
    id: 'listCycles',
    method: 'get',
    path: '/v1/cycles',
    summary: 'List cycles, newest first, page by page',
    who: 'viewer',
    query: ['limit', 'after', 'project'],
    status: 200,
    content: { schema: 'CyclePage' },
    problems: ['input-invalid'],
  },
  {
    id: 'getCycle',
    method: 'get',
    path: '/v1/cycles/{id}',
    summary: 'What has become of a cycle',
    who: 'viewer',
    status: 200,
    content: { schema: 'Cycle' },
    problems: ['not-found'],
  },
  {
    id: 'cancelCycle',
    method: 'post',
    path: '/v1/cycles/{id}/cancel',
    summary:
      'Cancel a cycle: faults are removed, the target is cleaned up. Asking again, or after the end, changes nothing',
    who: 'viewer',
    status: 202,
    content: { schema: 'Cycle' },
    problems: ['not-found'],
  },
  {
    id: 'listApprovals',
    method: 'get',
    path: '/v1/cycles/{id}/approvals',
    summary: 'What people are and were asked in a cycle, and what they decided, in order',
    who: 'viewer',
    status: 200,
    content: { schema: 'ApprovalList' },
    problems: ['not-found'],
  },
  {
    id: 'answerProposal',
    method: 'post',
    path: '/v1/cycles/{id}/approvals/{proposal}',
    summary:
      'Approve, revise, replace or reject what a cycle proposes. The same answer again changes nothing; another one is refused',
    who: 'operator',
    body: 'AnswerProposal',
    status: 200,
    content: { schema: 'Approval' },
    problems: [...BODY_PROBLEMS, 'not-found', 'decided', 'too-late', 'unusable'],
  },
  {
    id: 'followCycle',
    method: 'get',
    path: '/v1/cycles/{id}/events',
    summary:
      'Follow a cycle: server-sent events from after Last-Event-ID to its end. The id of a message is its sequence in ' +
      'the log of the cycle, its data a CycleEvent',
    who: 'viewer',
    header: ['Last-Event-ID'],
    status: 200,
    content: { text: ['text/event-stream'] },
    problems: ['input-invalid', 'not-found'],
  },
  {
    id: 'getResults',
    method: 'get',
    path: '/v1/cycles/{id}/results',
    summary: 'The results of a cycle (results.json)',
    who: 'viewer',
    status: 200,
    content: { schema: 'Results' },
    problems: ['not-found', 'not-there-yet'],
  },
  {
    id: 'listArtefacts',
    method: 'get',
    path: '/v1/cycles/{id}/artefacts',
    summary: 'List the documents of a cycle in order of creation',
    who: 'viewer',
    status: 200,
    content: { schema: 'ArtefactList' },
    problems: ['not-found'],
  },
  {
    id: 'getArtefact',
    method: 'get',
    path: '/v1/cycles/{id}/artefacts/{artefactId}',
    summary: 'A document of a cycle; its id is the SHA-256 of exactly these bytes',
    who: 'viewer',
    status: 200,
    content: { text: ['application/json'] },
    problems: ['not-found'],
  },
  {
    id: 'getImproved',
    method: 'get',
    path: '/v1/cycles/{id}/files/improved',
    summary: 'The improved files, where something was improved',
    who: 'viewer',
    status: 200,
    content: { schema: 'Bundle' },
    problems: ['not-found'],
  },
  {
    id: 'getPatch',
    method: 'get',
    path: '/v1/cycles/{id}/files/changes.patch',
    summary: 'The improvement as a patch, where something was improved',
    who: 'viewer',
    status: 200,
    content: { text: ['text/x-diff'] },
    problems: ['not-found'],
  },
  {
    id: 'getReport',
    method: 'get',
    path: '/v1/cycles/{id}/files/{name}',
    summary: 'A report of a finished cycle: report.html, report.md, junit.xml or findings.sarif',
    who: 'viewer',
    status: 200,
    content: { text: ['text/html', 'text/markdown', 'application/xml', 'application/sarif+json'] },
    problems: ['not-found'],
  },
  {
    id: 'createKey',
    method: 'post',
    path: '/v1/keys',
    summary: 'Create an API key of this tenant; its text is shown this once',
    who: 'admin',
    body: 'CreateKey',
    status: 201,
    content: { schema: 'NewKey' },
    problems: [...BODY_PROBLEMS, 'exists'],
  },
  {
    id: 'listKeys',
    method: 'get',
    path: '/v1/keys',
    summary: 'List the API keys of this tenant',
    who: 'admin',
    status: 200,
    content: { schema: 'KeyList' },
    problems: ['forbidden'],
  },
  {
    id: 'revokeKey',
    method: 'delete',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key; revoking it again changes nothing',
    who: 'admin',
    status: 204,
    problems: ['forbidden', 'not-found'],
  },
  {
    id: 'registerCluster',
    method: 'post',
    path: '/v1/clusters',
    summary: 'Register a cluster of this tenant, for cycles to name; what opens it is kept sealed and never given back',
    who: 'admin',
    body: 'RegisterCluster',
    status: 201,
    content: { schema: 'RegisteredCluster' },
    problems: [...BODY_PROBLEMS, 'exists'],
  },
  {
    id: 'listClusters',
    method: 'get',
    path: '/v1/clusters',
    summary: 'List the registered clusters of this tenant',
    who: 'viewer',
    status: 200,
    content: { schema: 'ClusterList' },
    problems: [],
  },
  {
    id: 'setModel',
    method: 'put',
    path: '/v1/model',
    summary:
      'Set the endpoint of the model that cycles of this tenant ask; what opens it is kept sealed and never given back',
    who: 'admin',
    body: 'SetModel',
    status: 200,
    content: { schema: 'Model' },
    problems: BODY_PROBLEMS,
  },
  {
    id: 'showModel',
    method: 'get',
    path: '/v1/model',
    summary: 'Show the model of this tenant, and what models have cost it this month',
    who: 'viewer',
    status: 200,
    content: { schema: 'Model' },
    problems: [],
  },
  {
    id: 'removeModel',
    method: 'delete',
    path: '/v1/model',
    summary: 'Remove the model of this tenant. Cycles that run go on with it to their end',
    who: 'admin',
    status: 204,
    problems: ['forbidden', 'not-found'],
  },
  {
    id: 'setApprovalPolicy',
    method: 'put',
    path: '/v1/approval-policy',
    summary: 'Set what people have to approve in every cycle of this tenant that is started from now on',
    who: 'admin',
    body: 'ApprovalPolicy',
    status: 200,
    content: { schema: 'ApprovalPolicy' },
    problems: BODY_PROBLEMS,
  },
  {
    id: 'showApprovalPolicy',
    method: 'get',
    path: '/v1/approval-policy',
    summary: 'Show what people have to approve in every cycle of this tenant',
    who: 'viewer',
    status: 200,
    content: { schema: 'ApprovalPolicy' },
    problems: [],
  },
  {
    id: 'removeCluster',
    method: 'delete',
    path: '/v1/clusters/{name}',
    summary: 'Remove a registered cluster. Cycles that run on it go on to their end',
    who: 'admin',
    status: 204,
    problems: ['forbidden', 'not-found'],
  },
  {
    id: 'createTenant',
    method: 'post',
    path: '/v1/tenants',
    summary: "Create a tenant and its first administrator's key",
    who: 'installation',
    body: 'CreateTenant',
    status: 201,
    content: { schema: 'NewTenant' },
    problems: [...BODY_PROBLEMS, 'exists'],
  },
]
