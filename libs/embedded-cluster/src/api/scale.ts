import { readStructure } from '../schema/structure.js'
import { badRequest, conflict, invalid } from '../store/api-error.js'
import type { K8sObject, StoredObject } from '../store/object.js'
import type { LabelSelector } from '../schema/selectors.js'
import type { ResourceDefinition } from '../schema/resources.js'

const SCALE = 'autoscaling.v1.Scale'

/** The `scale` view of a workload. */
export function scaleOf(object: StoredObject): Record<string, unknown> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const spec = object.spec as { replicas?: number; selector?: LabelSelector }
  const status = (object.status ?? {}) as { replicas?: number }
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec.replicas ?? 0 },
    status: { replicas: status.replicas ?? 0, selector: selectorText(spec.selector) },
  }
}

interface Scale {
  metadata?: { resourceVersion?: string }
  spec?: { replicas?: number }
}

/** The workload with the replicas of a scale that a client sends. Throws ApiError 400, 409, 422. */
export function withScale(definition: ResourceDefinition, old: StoredObject, body: unknown): K8sObject {
  const { metadata = {}, spec = {} } = readScale(body)
  const { replicas = 0 } = spec
  const { name, resourceVersion } = old.metadata
  if (replicas < 0) {
    const message = `Invalid value: ${replicas}: must be greater than or equal to 0`
    throw invalid(definition, name, [{ reason: 'FieldValueInvalid', message, field: 'spec.replicas' }])
  }
  if (metadata.resourceVersion && metadata.resourceVersion !== resourceVersion) {
    throw conflict(definition, name, 'the object has been modified; please apply your changes to the latest version')
  }
  return { ...old, spec: { ...(old.spec as object), replicas } }
}

function readScale(body: unknown): Scale {
  const { value, problems } = readStructure(body, SCALE)
  const [problem] = problems
  if (problem) throw badRequest(`Scale: ${problem.field}: ${problem.message}`)
  return value as Scale
}

function selectorText(selector: LabelSelector | undefined): string {
  return Object.entries(selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}
