import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Attempt, attemptOf } from '../access/attempt.js'
import { identityOf } from '../access/identity.js'
import { requireAccess } from '../access/require-access.js'
import { answerReview, isReviewPath } from '../access/reviews.js'
import { ApiError } from '../store/api-error.js'
import type { HostedCluster } from './cluster-host.js'
import { aggregated, coreVersions, group, groupList, resourceList, version } from './discovery.js'
import { readBody } from './http-body.js'
import { handleResource } from './handle-resource.js'
import { readMetrics } from './metrics.js'
import { openApiDocument, openApiIndex } from './openapi.js'
import { noPath } from '../schema/refused-kinds.js'
import { type ResourceDefinition } from '../schema/resources.js'
import { json, type Reply } from './reply.js'
import { parseResourcePath } from '../schema/resource-path.js'

/** A request to one cluster; `path` is what follows `/clusters/ID`. */
export interface ClusterRequest {
  readonly cluster: HostedCluster
  readonly path: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const HEALTH = ['/healthz', '/livez', '/readyz']

/** Answers like a Kubernetes API server; null when the answer is a stream. Throws ApiError. */
export async function handleCluster(call: ClusterRequest): Promise<Reply | null> {
  const identity = identityOf(call.request.headers)
  call.cluster.sync()
  requireAccess(call.cluster.engine.store, identity, attemptAt(call))
  const known = call.request.method === 'GET' ? document(call) : null
  if (known) return known
  if (call.request.method === 'POST' && isReviewPath(call.path)) {
    const body = await readBody(call.request)
    const review = answerReview({ store: call.cluster.engine.store, identity }, call.path, body)
    return review && json(review, 201)
  }
  const metrics = call.request.method === 'GET' ? readMetrics(call.cluster.engine, call.path, call.query) : null
  if (metrics) return metrics
  const path = parseResourcePath(call.path, call.cluster.engine.store.customDefinitions)
  if (!path) throw new ApiError(404, 'NotFound', noPath(call.path))
  try {
    return await handleResource({ ...call, path })
  } finally {
    call.cluster.sync()
  }
}

function attemptAt({ path, query, request }: ClusterRequest): Attempt {
  const watches = ['true', '1'].includes(query.get('watch') ?? '')
  return attemptOf({ method: request.method ?? 'GET', path, watches })
}

/**
 * kubectl falls back to the older form when a manifest holds a kind that the newer one lacks, and takes protobuf only:
 * a document without kinds (field 1, `swagger: "2.0"`) lets it go on to the real reason.
 */
const EMPTY_OPENAPI_V2: Reply = {
  kind: 'text',
  text: '\n\u00032.0',
  contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
}

const DOCUMENTS: Readonly<Record<string, (custom: readonly ResourceDefinition[]) => unknown>> = {
  '/version': version,
  '/api': coreVersions,
  '/apis': groupList,
}

/** Everything that describes the API rather than objects. */
function document({ path, request, cluster }: ClusterRequest): Reply | null {
  if (HEALTH.includes(path)) return { kind: 'text', text: 'ok' }
  const accept = request.headers.accept ?? ''
  const custom = cluster.engine.store.customDefinitions
  const hasAggregated = path === '/api' || path === '/apis'
  if (hasAggregated && accept.includes('as=APIGroupDiscoveryList')) return aggregatedReply(path, accept, custom)
  if (path === '/openapi/v3') return json(openApiIndex(`/clusters/${cluster.settings.id}`))
  if (path === '/openapi/v2') return EMPTY_OPENAPI_V2
  const plain = DOCUMENTS[path]
  return plain ? json(plain(custom)) : described(path, custom)
}

function described(path: string, custom: readonly ResourceDefinition[]): Reply | null {
  const [root, ...rest] = path.split('/').filter(Boolean)
  if (root === 'openapi' && rest[0] === 'v3') return present(openApiDocument(rest.slice(1).join('/')))
  if (root === 'api' && rest.length === 1) return present(resourceList(rest.join('/'), custom))
  if (root !== 'apis') return null
  if (rest.length === 1) return present(group(rest[0] ?? '', custom))
  return rest.length === 2 ? present(resourceList(rest.join('/'), custom)) : null
}

function present(body: unknown): Reply | null {
  return body === null ? null : json(body)
}

function aggregatedReply(path: '/api' | '/apis', accept: string, custom: readonly ResourceDefinition[]): Reply {
  const beta = !accept.includes('v=v2;') && accept.includes('v=v2beta1')
  if (beta) throw new ApiError(406, 'NotAcceptable', 'only v2 of the aggregated discovery is offered')
  const contentType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  return { kind: 'json', code: 200, body: aggregated(path === '/api' ? 'api' : 'apis', custom), contentType }
}
