import { ApiError, badRequest, invalid } from '../store/api-error.js'
import { type K8sObject } from '../store/object.js'
import { apiVersionOf, type ResourceDefinition } from './resources.js'
import { metadataCauses } from './rules-metadata.js'
import { isRecord } from './schemas.js'
import { readStructure } from './structure.js'

/**
 * Reads a custom resource: its metadata as that of any object; the rest is kept as it is, since nothing acts on it. Throws
 * ApiError 400 and 422.
 */
export function admitCustom(definition: ResourceDefinition, body: unknown): K8sObject {
  if (!isRecord(body)) throw badRequest('the body must be a JSON object')
  const apiVersion = apiVersionOf(definition)
  const { value, problems } = readStructure(body.metadata ?? {}, 'meta.v1.ObjectMeta')
  const [problem] = problems
  if (problem)
    throw new ApiError(400, 'BadRequest', `${definition.kind}: metadata.${problem.field}: ${problem.message}`)
  const { managedFields: _owners, ...metadata } = value as K8sObject['metadata']
  const object = { ...body, apiVersion, kind: definition.kind, metadata }
  const causes = metadataCauses(definition, object)
  if (causes.length > 0) throw invalid(definition, metadata.name ?? '', causes)
  return object
}
