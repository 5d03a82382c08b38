import { applyPatch as applyJsonPatch, type Operation } from 'rfc6902'
import { apiVersionOf, type ResourceDefinition } from '../../schema/resources.js'
import { schemaOf } from '../../schema/defaults.js'
import { isRecord } from '../../schema/schemas.js'
import { ApiError, badRequest } from '../../store/api-error.js'
import { mergePatch } from './merge-patch.js'
import { strategicPatch } from './strategic-patch.js'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test']
const MAX_OPERATIONS = 10_000

/**
 * The object after a patch of the given media type; `current` is not changed. Throws ApiError 400 for a patch that
 * cannot be read, 415 for a type that is not offered (server-side apply: field owners are not tracked), 422 for a
 * JSON patch that does not apply.
 */
export function patched(
  definition: ResourceDefinition,
  current: unknown,
  patch: { mediaType: string; body: unknown },
): unknown {
  const custom = definition.group.endsWith('chaos-mesh.org')
  switch (patch.mediaType) {
    case JSON_PATCH:
      return jsonPatch(current, patch.body)
    case MERGE_PATCH:
      return mergePatch(current, record(patch.body))
    case STRATEGIC_PATCH:
      if (custom) break
      return strategicPatch(current, record(patch.body), schemaOf(apiVersionOf(definition), definition.kind) ?? {})
  }
  throw unsupportedMediaType(custom ? [JSON_PATCH, MERGE_PATCH] : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH])
}

function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message =
    'the body of the request was in an unknown format - accepted media types include: ' +
    `${accepted.join(', ')} (server-side apply is not modelled by the embedded cluster)`
  return new ApiError(415, 'UnsupportedMediaType', message)
}

function record(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) throw badRequest('the patch must be a JSON object')
  return body
}

function jsonPatch(current: unknown, body: unknown): unknown {
  if (!Array.isArray(body) || body.length > MAX_OPERATIONS || !body.every(isOperation)) {
    throw badRequest(`a JSON patch is a list of at most ${MAX_OPERATIONS} operations with op and path`)
  }
  const copy: unknown = structuredClone(current)
  const problem = applyJsonPatch(copy, body).find((result) => result !== null)
  if (problem) {
    const message = `the server rejected our request due to an error in our request: ${problem.message || problem.name}`
    throw new ApiError(422, 'Invalid', message)
  }
  return copy
}

function isOperation(value: unknown): value is Operation {
  if (!isRecord(value) || typeof value.path !== 'string') return false
  const { op, path } = value
  // A pointer into the prototype is no field of an object.
  return OPERATIONS.includes(op as string) && !/(^|\/)(__proto__|constructor|prototype)(\/|$)/.test(path)
}
