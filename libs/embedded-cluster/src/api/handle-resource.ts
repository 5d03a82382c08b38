import type { IncomingMessage, ServerResponse } from 'node:http'
import { admitObject } from '../schema/validate.js'
import { ApiError, badRequest } from '../store/api-error.js'
import type { StoredObject } from '../store/object.js'
import type { HostedCluster } from './cluster-host.js'
import { deleteCollection, deleteObject, readDeleteOptions } from './delete-object.js'
import { evictPod } from './evict-pod.js'
import { mediaTypeOf, readBody } from './http-body.js'
import { patched } from './patch/apply-patch.js'
import { mergePatch } from './patch/merge-patch.js'
import { readLogQuery, readLogs } from './read-logs.js'
import { getObject, listObjects } from './read-objects.js'
import { json, type Reply } from './reply.js'
import type { ResourcePath } from '../schema/resource-path.js'
import { formOf } from './render.js'
import { scaleOf, withScale } from './scale.js'
import { serveLog, serveWatch } from './serve-streams.js'
import { createObject, updateObject } from './write-object.js'

/** One request for a collection, an object or a part of one. */
export interface ResourceRequest {
  readonly cluster: HostedCluster
  readonly path: ResourcePath
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

type Named = ResourcePath & { name: string }

/** Answers the request; null when the answer is a stream that was started. Throws ApiError. */
export async function handleResource(call: ResourceRequest): Promise<Reply | null> {
  const method = call.request.method ?? 'GET'
  if (method === 'GET') return read(call)
  if (call.path.definition.readOnly || call.path.subresource === 'log') throw notAllowed(call.path)
  const body = await readBody(call.request)
  const { path } = call
  if (path.name === null) return writeCollection(call, method, body)
  return writeObject(call, { ...path, name: path.name }, body)
}

function read(call: ResourceRequest): Reply | null {
  const { cluster, path, query, request, response } = call
  const { store } = cluster.engine
  if (path.subresource === 'log') return readLog(call)
  const watch = query.get('watch')
  if (watch === 'true' || watch === '1') {
    serveWatch(cluster, { path, query, form: formOf(request.headers.accept) }, response)
    return null
  }
  if (path.name === null) return listObjects(store, path, query)
  const object = getObject(store, { ...path, name: path.name })
  return path.subresource === 'scale' ? json(scaleOf(object)) : found(path, object)
}

function readLog({ cluster, path, query, response }: ResourceRequest): Reply | null {
  const name = path.name ?? ''
  getObject(cluster.engine.store, { ...path, name })
  const request = readLogQuery(path.namespace ?? '', name, query)
  const text = readLogs(cluster.engine, request, query)
  if (!request.follow) return { kind: 'text', text }
  serveLog(cluster, { query: request, text }, response)
  return null
}

function writeCollection(call: ResourceRequest, method: string, body: unknown): Reply {
  const { cluster, path, query } = call
  if (method === 'POST') {
    const object = createObject(cluster.engine, path, body, { dryRun: isDryRun(query) })
    return { kind: 'object', code: 201, definition: path.definition, object }
  }
  if (method !== 'DELETE') throw notAllowed(path)
  return deleteCollection(cluster.engine.store, path, query, readDeleteOptions(body, query))
}

function writeObject(call: ResourceRequest, path: Named, body: unknown): Reply {
  const { cluster, query, request } = call
  switch (request.method) {
    case 'POST':
      if (path.subresource !== 'eviction') throw notAllowed(path)
      return evictPod(cluster.engine, path, body, isDryRun(query))
    case 'PUT':
      return path.subresource === 'scale' ? putScale(call, path, body) : put(call, path, body)
    case 'PATCH':
      return patchObject(call, path, { mediaType: mediaTypeOf(request), body })
    case 'DELETE':
      if (path.subresource !== null) throw notAllowed(path)
      return deleteObject(cluster.engine.store, path, readDeleteOptions(body, query))
    default:
      throw notAllowed(path)
  }
}

function put(call: ResourceRequest, path: Named, body: unknown): Reply {
  return found(path, updateObject(call.cluster.engine, path, body, { dryRun: isDryRun(call.query) }))
}

function putScale(call: ResourceRequest, path: Named, body: unknown): Reply {
  const { store } = call.cluster.engine
  const old = getObject(store, path)
  const next = admitObject(path.definition, withScale(path.definition, old, body), old)
  const stored = isDryRun(call.query) ? (next as StoredObject) : store.update(path.definition.key, next)
  return json(scaleOf(stored))
}

/** A patch is a read, a change and a write; a version inside the patch is a precondition. */
function patchObject(call: ResourceRequest, path: Named, patch: { mediaType: string; body: unknown }): Reply {
  const current = getObject(call.cluster.engine.store, path)
  if (path.subresource === 'scale') return putScale(call, path, mergePatch(scaleOf(current), patch.body))
  return put(call, path, patched(path.definition, current, patch))
}

function found(path: ResourcePath, object: StoredObject): Reply {
  return { kind: 'object', code: 200, definition: path.definition, object }
}

function isDryRun(query: URLSearchParams): boolean {
  const values = query.getAll('dryRun').filter((value) => value !== '')
  if (values.some((value) => value !== 'All')) throw badRequest('dryRun: the only value is All')
  return values.length > 0
}

function notAllowed({ definition }: ResourcePath): ApiError {
  const { group, plural } = definition
  const message = 'the server does not allow this method on the requested resource'
  return new ApiError(405, 'MethodNotAllowed', message, { ...(group ? { group } : {}), kind: plural })
}
