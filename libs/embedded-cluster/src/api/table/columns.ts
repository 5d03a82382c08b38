import type { ResourceKey } from '../../schema/resources.js'
import type { StoredObject } from '../../store/object.js'
import { AGE, NAME, type Column } from './cells.js'
import { eventColumns } from './event-columns.js'
import { endpointSliceColumns, serviceColumns } from './network-columns.js'
import { nodeColumns } from './node-columns.js'
import { podColumns } from './pod-columns.js'
import { STORAGE_COLUMNS } from './storage-columns.js'
import { deploymentColumns, replicaSetColumns, SET_COLUMNS } from './workload-columns.js'

/** A field by its dotted path, as text. */
function text(object: StoredObject, path: string): string {
  let value: unknown = object
  for (const field of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function sizeOf(...parts: unknown[]): number {
  return parts.reduce<number>((sum, part) => sum + Object.keys((part as object | undefined) ?? {}).length, 0)
}

const COLUMNS: Readonly<Partial<Record<ResourceKey, readonly Column[]>>> = {
  pods: podColumns(),
  'replicasets.apps': replicaSetColumns(),
  'deployments.apps': deploymentColumns(),
  ...SET_COLUMNS,
  ...STORAGE_COLUMNS,
  services: serviceColumns(),
  'endpointslices.discovery.k8s.io': endpointSliceColumns(),
  nodes: nodeColumns(),
  events: eventColumns(),
  namespaces: [NAME, { name: 'Status', cell: (object) => text(object, 'status.phase') }, AGE],
  configmaps: [NAME, { name: 'Data', cell: ({ data, binaryData }) => sizeOf(data, binaryData) }, AGE],
  secrets: [
    NAME,
    { name: 'Type', cell: (object) => text(object, 'type') },
    { name: 'Data', type: 'integer', cell: ({ data }) => sizeOf(data) },
    AGE,
  ],
  'poddisruptionbudgets.policy': [
    NAME,
    { name: 'Min Available', cell: (object) => text(object, 'spec.minAvailable') || 'N/A' },
    { name: 'Max Unavailable', cell: (object) => text(object, 'spec.maxUnavailable') || 'N/A' },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      cell: (object) => Number(text(object, 'status.disruptionsAllowed') || 0),
    },
    AGE,
  ],
  'networkchaos.chaos-mesh.org': [
    NAME,
    { name: 'action', cell: (object) => text(object, 'spec.action') },
    { name: 'duration', cell: (object) => text(object, 'spec.duration') },
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    NAME,
    { name: 'Created At', cell: ({ metadata }) => metadata.creationTimestamp },
  ],
}

/** The columns of a kind; a custom resource without its own has name and age. */
export function columnsOf(key: ResourceKey): readonly Column[] {
  return COLUMNS[key] ?? [NAME, AGE]
}
