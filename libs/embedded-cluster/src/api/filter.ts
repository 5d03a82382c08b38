import type { ResourceDefinition, ResourceKey } from '../schema/resources.js'
import { parseFieldSelector, parseLabelSelector } from '../schema/selectors.js'
import type { StoredObject } from '../store/object.js'

export type Filter = (object: StoredObject) => boolean

const COMMON = ['metadata.name', 'metadata.namespace']
const OF_EVENTS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
/** Fields that a field selector may name, as on a real API server. */
const FIELDS: Readonly<Partial<Record<ResourceKey, readonly string[]>>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ],
  events: [...OF_EVENTS.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'source', 'type'],
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  secrets: ['type'],
  'replicasets.apps': ['status.replicas'],
}

/** What `labelSelector` and `fieldSelector` of a query let through. Throws ApiError 400. */
export function filterOf(definition: ResourceDefinition, query: URLSearchParams): Filter {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', [...COMMON, ...(FIELDS[definition.key] ?? [])])
  return (object) => labels(object.metadata.labels) && fields(object)
}
