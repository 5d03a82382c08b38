import type { ResourceKey } from '../../schema/resources.js'
import type { LabelSelector } from '../../schema/selectors.js'
import type { StoredObject } from '../../store/object.js'
import { AGE, labelText, NAME, type Column } from './cells.js'

interface WorkloadSpec {
  replicas?: number
  selector?: LabelSelector
  completions?: number
  schedule?: string
  suspend?: boolean
  template?: { spec?: { containers?: { name: string; image?: string }[] } }
}

export function deploymentColumns(): readonly Column[] {
  return [
    NAME,
    { name: 'Ready', cell: (object) => `${count(object, 'readyReplicas')}/${specOf(object).replicas ?? 0}` },
    { name: 'Up-to-date', cell: (object) => count(object, 'updatedReplicas') },
    { name: 'Available', cell: (object) => count(object, 'availableReplicas') },
    AGE,
    ...templateColumns(),
  ]
}

export function replicaSetColumns(): readonly Column[] {
  return [
    NAME,
    { name: 'Desired', type: 'integer', cell: (object) => specOf(object).replicas ?? 0 },
    { name: 'Current', type: 'integer', cell: (object) => count(object, 'replicas') },
    { name: 'Ready', type: 'integer', cell: (object) => count(object, 'readyReplicas') },
    AGE,
    ...templateColumns(),
  ]
}

/** Columns of the other workloads. */
export const SET_COLUMNS: Readonly<Partial<Record<ResourceKey, readonly Column[]>>> = {
  'statefulsets.apps': [
    NAME,
    { name: 'Ready', cell: (object) => `${count(object, 'readyReplicas')}/${specOf(object).replicas ?? 0}` },
    AGE,
  ],
  'daemonsets.apps': [
    NAME,
    { name: 'Desired', type: 'integer', cell: (object) => count(object, 'desiredNumberScheduled') },
    { name: 'Current', type: 'integer', cell: (object) => count(object, 'currentNumberScheduled') },
    { name: 'Ready', type: 'integer', cell: (object) => count(object, 'numberReady') },
    { name: 'Up-to-date', type: 'integer', cell: (object) => count(object, 'updatedNumberScheduled') },
    { name: 'Available', type: 'integer', cell: (object) => count(object, 'numberAvailable') },
    AGE,
  ],
  'jobs.batch': [
    NAME,
    { name: 'Status', cell: jobText },
    { name: 'Completions', cell: (object) => `${count(object, 'succeeded')}/${specOf(object).completions ?? 1}` },
    AGE,
  ],
  'cronjobs.batch': [
    NAME,
    { name: 'Schedule', cell: (object) => specOf(object).schedule ?? '' },
    { name: 'Suspend', cell: (object) => (specOf(object).suspend ? 'True' : 'False') },
    AGE,
  ],
}

function jobText({ status }: StoredObject): string {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] }
  const last = conditions.find(
    ({ type, status: holds }) => holds === 'True' && /^(Complete|Failed|Suspended)$/.test(type),
  )
  return last?.type ?? 'Running'
}

function templateColumns(): readonly Column[] {
  return [
    { name: 'Containers', priority: 1, cell: (object) => containers(object, ({ name }) => name) },
    { name: 'Images', priority: 1, cell: (object) => containers(object, ({ image }) => image ?? '') },
    { name: 'Selector', priority: 1, cell: (object) => selectorText(specOf(object).selector) },
  ]
}

function specOf(object: StoredObject): WorkloadSpec {
  return object.spec ?? {}
}

function count(object: StoredObject, field: string): number {
  return ((object.status ?? {}) as Record<string, number | undefined>)[field] ?? 0
}

function containers(object: StoredObject, of: (container: { name: string; image?: string }) => string): string {
  return (specOf(object).template?.spec?.containers ?? []).map(of).join(',')
}

function selectorText(selector: LabelSelector | undefined): string {
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator.toLowerCase()} (${(values ?? []).join(',')})`
  })
  const labels = selector?.matchLabels ? [labelText(selector.matchLabels)] : []
  return [...labels, ...expressions].join(',') || '<none>'
}
