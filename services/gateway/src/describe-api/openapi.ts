import { bundleSchema, resultsSchema } from '@ordeal/shared'
import { z } from 'zod'
import {
  answerProposalSchema,
  approvalListSchema,
  approvalPolicySchema,
  approvalViewSchema,
  artefactListSchema,
  clusterListSchema,
  clusterViewSchema,
  createKeySchema,
  createTenantSchema,
  cycleEventSchema,
  cyclePageSchema,
  cycleViewSchema,
  keyListSchema,
  newKeySchema,
  newTenantSchema,
  problemSchema,
  modelViewSchema,
  registerClusterSchema,
  setModelSchema,
  startCycleSchema,
} from '../api/contract.js'
import { type ProblemKind, statusOf, titleOf } from '../api/problems.js'
import { COMMON_PROBLEMS, type Content, type Operation, operations, type SchemaName } from './operations.js'

type Json = Record<string, unknown>

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as Json
  return rest
}
const asked = (schema: z.ZodType): Json => jsonSchema(schema, 'input')
const answered = (schema: z.ZodType): Json => jsonSchema(schema, 'output')

const schemas = (): Record<SchemaName | 'Problem', Json> => ({
  StartCycle: asked(startCycleSchema),
  Cycle: answered(cycleViewSchema),
  CyclePage: answered(cyclePageSchema),
  CycleEvent: answered(cycleEventSchema),
  ArtefactList: answered(artefactListSchema),
  Results: answered(resultsSchema),
  Bundle: answered(bundleSchema),
  CreateKey: asked(createKeySchema),
  NewKey: answered(newKeySchema),
  KeyList: answered(keyListSchema),
  RegisterCluster: asked(registerClusterSchema),
  RegisteredCluster: answered(clusterViewSchema),
  ClusterList: answered(clusterListSchema),
  SetModel: asked(setModelSchema),
  Model: answered(modelViewSchema),
  AnswerProposal: asked(answerProposalSchema),
  Approval: answered(approvalViewSchema),
  ApprovalList: answered(approvalListSchema),
  ApprovalPolicy: asked(approvalPolicySchema),
  CreateTenant: asked(createTenantSchema),
  NewTenant: answered(newTenantSchema),
  Problem: answered(problemSchema),
})

const ref = (name: SchemaName | 'Problem'): Json => ({ $ref: `#/components/schemas/${name}` })

const PARAMETERS: Readonly<Record<string, Json>> = {
  limit: {
    in: 'query',
    description: 'Cycles on a page',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  after: { in: 'query', description: 'Cursor: `next` of the page before', schema: { type: 'string' } },
  project: { in: 'query', description: 'Only cycles of this project', schema: { type: 'string', maxLength: 63 } },
  'Idempotency-Key': {
    in: 'header',
    description:
      'Started once within 24 hours for one key: the same request again finds the same cycle (with the header ' +
      'Idempotent-Replayed: true), another request with the key is refused',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Last-Event-ID': {
    in: 'header',
    description: 'Sequence of the last event that was received',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
}

function parametersOf({ path, query = [], header = [] }: Operation): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return [...inPath, ...[...query, ...header].map((name) => ({ name, ...PARAMETERS[name] }))]
}

const contentOf = (content: Content): Json =>
  'schema' in content
    ? { 'application/json': { schema: ref(content.schema) } }
    : Object.fromEntries(content.text.map((type) => [type, { schema: { type: 'string' } }]))

const GOOD = { 200: 'The answer', 201: 'Created', 202: 'Accepted', 204: 'Done' } as const
const LOCATION = { Location: { description: 'Path of the cycle', schema: { type: 'string' } } }
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } }

function problemResponses(kinds: readonly ProblemKind[]): Json {
  const byStatus = Object.groupBy(kinds, statusOf)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, same = []]) => [
      status,
      {
        description: same.map((kind) => `${titleOf(kind)} (\`${kind}\`)`).join('; '),
        ...(['429', '503'].includes(status) ? { headers: RETRY_AFTER } : {}),
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    ]),
  )
}

function operationOf(operation: Operation): Json {
  const { id, summary, who, body, status, content, problems } = operation
  const good = {
    description: GOOD[status],
    ...(content ? { content: contentOf(content) } : {}),
    ...(id === 'startCycle' ? { headers: LOCATION } : {}),
  }
  return {
    operationId: id,
    summary,
    description: who === 'installation' ? "With the installation's admin key" : `For the role ${who} and those above`,
    security: [{ [who === 'installation' ? 'adminKey' : 'apiKey']: [] }],
    parameters: parametersOf(operation),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } } } : {}),
    responses: { [status]: good, ...problemResponses([...problems, ...COMMON_PROBLEMS]) },
  }
}

/** The HTTP interface as an OpenAPI 3.1 document, made from the schemas that requests are read with. */
export function openApiDocument(): Json {
  const byPath = Object.groupBy(operations, ({ path }) => path)
  const paths = Object.entries(byPath).map(([path, same = []]) => [
    path,
    Object.fromEntries(same.map((operation) => [operation.method, operationOf(operation)])),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ordeal',
      version: '1',
      summary: 'Puts a Kubernetes application through an ordeal and hands back manifests that survive it',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of a tenant' },
        adminKey: { type: 'http', scheme: 'bearer', description: 'ORDEAL_ADMIN_KEY of the gateway' },
      },
    },
  }
}
