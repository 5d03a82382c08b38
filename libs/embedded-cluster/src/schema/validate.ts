import { ApiError, badRequest, invalid, type StatusCause } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import { admitCustom } from './admit-custom.js'
import { withDefaults } from './defaults.js'
import { isTooDeep } from './depth.js'
import { FIELD_TABLES } from './field-tables.js'
import { refusals } from './fields.js'
import { apiVersionOf, type ResourceDefinition } from './resources.js'
import { RULES } from './rules.js'
import { metadataCauses } from './rules-metadata.js'
import { definitionName, isRecord } from './schemas.js'
import { readStructure, type Problem } from './structure.js'

/**
 * Reads what a client sends for a resource: shape by Kubernetes' own schema, then what the embedded cluster takes,
 * then defaults, then the rules that a schema cannot say. Throws ApiError: 400 for a shape that cannot be read, 422
 * naming every field otherwise.
 */
export function admitObject(definition: ResourceDefinition, body: unknown, old?: StoredObject): K8sObject {
  if (definition.custom) return admitCustom(definition, body)
  const { object, causes: softCauses } = read(definition, body)
  const name = object.metadata.name ?? object.metadata.generateName ?? ''
  const refused = refusals(object, FIELD_TABLES[definition.key] ?? {}, old)
  if (refused.length > 0) {
    const causes = refused.map(({ field, message }) => ({ reason: 'FieldValueForbidden', message, field }))
    throw invalid(definition, name, causes)
  }
  const filled = withDefaults(withEncodedStrings(definition, object))
  const hard = [...metadataCauses(definition, filled), ...(RULES[definition.key]?.(filled, old) ?? [])]
  const causes = [...hard, ...softCauses.filter(({ field }) => !hard.some((cause) => cause.field === field))]
  if (causes.length > 0) throw invalid(definition, name, causes)
  return filled
}

/** `stringData` of a secret is a convenience of writing: it is stored as `data`. */
function withEncodedStrings(definition: ResourceDefinition, object: K8sObject): K8sObject {
  const { stringData, ...rest } = object
  if (definition.key !== 'secrets' || !isRecord(stringData)) return object
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')])
  return { ...rest, data: { ...(rest.data as object | undefined), ...(Object.fromEntries(encoded) as object) } }
}

/** Shape only: the body as an object of the definition's kind. Throws ApiError 400 or 422. */
export function readObject(definition: ResourceDefinition, body: unknown): K8sObject {
  if (definition.custom) return admitCustom(definition, body)
  const { object, causes } = read(definition, body)
  if (causes.length > 0) throw invalid(definition, object.metadata.name ?? '', causes)
  return object
}

/** The object, and the causes that are reported together with those of the rules: values outside their lists. */
function read(definition: ResourceDefinition, body: unknown): { object: K8sObject; causes: StatusCause[] } {
  if (!isRecord(body)) throw badRequest('the body must be a JSON object')
  if (isTooDeep(body)) throw badRequest('the object is nested too deeply: exceeded max depth')
  const apiVersion = apiVersionOf(definition)
  const given = { apiVersion, kind: definition.kind, ...body }
  checkType(definition, given)
  const { value, problems } = readStructure(given, definitionName(apiVersion, definition.kind) ?? '')
  const fatal = problems.filter(({ reason }) => reason !== 'FieldValueNotSupported')
  if (fatal.length > 0) throw structureError(definition, value, problems)
  const object = value as K8sObject
  const { managedFields: _owners, ...metadata } = object.metadata ?? {}
  return { object: { ...object, metadata }, causes: problems.map(toCause) }
}

function checkType(definition: ResourceDefinition, given: Record<string, unknown>): void {
  const apiVersion = apiVersionOf(definition)
  if (given.apiVersion === apiVersion && given.kind === definition.kind) return
  throw badRequest(
    `the API version and kind in the data (${String(given.apiVersion)}, ${String(given.kind)}) do not match the ` +
      `expected ones (${apiVersion}, ${definition.kind})`,
  )
}

function structureError(definition: ResourceDefinition, value: unknown, problems: Problem[]): ApiError {
  const shape = problems.filter(({ reason }) => reason === 'unknown' || reason === 'type')
  if (shape.length === 0) return invalid(definition, nameIn(value), problems.map(toCause))
  const unknown = shape.filter(({ reason }) => reason === 'unknown').map(({ message }) => message)
  const mistyped = shape.filter(({ reason }) => reason === 'type').map(({ field, message }) => `${field}: ${message}`)
  const prefix = unknown.length > 0 ? 'strict decoding error: ' : ''
  const what = `${definition.kind} in version "${definition.version}" cannot be handled as a ${definition.kind}`
  return new ApiError(400, 'BadRequest', `${what}: ${prefix}${[...unknown, ...mistyped].join(', ')}`, {
    causes: shape.map(toCause),
  })
}

function toCause({ field, reason, message }: Problem): StatusCause {
  const word = reason === 'unknown' || reason === 'type' ? 'FieldValueInvalid' : reason
  return { reason: word, message, field }
}

function nameIn(value: unknown): string {
  const metadata = isRecord(value) && isRecord(value.metadata) ? value.metadata : {}
  return typeof metadata.name === 'string' ? metadata.name : ''
}
