import type { StatusCause } from '../store/api-error.js'
import type { K8sObject } from '../store/object.js'
import { check, invalidValue, required } from './causes.js'
import {
  labelNameProblem,
  labelValueProblem,
  qualifiedNameProblem,
  serviceNameProblem,
  subdomainProblem,
} from './names.js'
import type { ResourceDefinition } from './resources.js'

const ANNOTATION_BYTES = 256 * 1024

/** What is wrong with an object's metadata. */
export function metadataCauses(definition: ResourceDefinition, object: K8sObject): StatusCause[] {
  const { name, generateName, labels, annotations } = object.metadata
  const problem = nameRule(definition)
  return [
    ...(name || generateName ? [] : [required('metadata.name', 'name or generateName is required')]),
    ...(name ? check('metadata.name', name, problem(name)) : []),
    ...(generateName && !name ? check('metadata.generateName', generateName, problem(`${generateName}x`)) : []),
    ...labelCauses('metadata.labels', labels ?? {}),
    ...annotationCauses(annotations ?? {}),
    ...ownerCauses(object),
  ]
}

function nameRule(definition: ResourceDefinition): (name: string) => string | null {
  if (definition.key === 'services') return serviceNameProblem
  return definition.key === 'namespaces' ? labelNameProblem : subdomainProblem
}

/** What is wrong with a set of labels at `field`. */
export function labelCauses(field: string, labels: Readonly<Record<string, string>>): StatusCause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...check(field, key, qualifiedNameProblem(key)),
    ...check(field, value, labelValueProblem(value)),
  ])
}

function annotationCauses(annotations: Readonly<Record<string, string>>): StatusCause[] {
  const field = 'metadata.annotations'
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  const tooLong = { reason: 'FieldValueTooLong', message: `Too long: may not be more than ${ANNOTATION_BYTES} bytes` }
  return [
    ...Object.keys(annotations).flatMap((key) => check(field, key, qualifiedNameProblem(key.toLowerCase()))),
    ...(size > ANNOTATION_BYTES ? [{ ...tooLong, field }] : []),
  ]
}

function ownerCauses(object: K8sObject): StatusCause[] {
  const controllers = (object.metadata.ownerReferences ?? []).filter((owner) => owner.controller)
  if (controllers.length < 2) return []
  const why = 'Only one reference can have Controller set to true'
  return [invalidValue('metadata.ownerReferences', controllers[1]?.name, why)]
}
