import type { LabelSelector } from '../../schema/selectors.js'
import type { StoredObject } from '../../store/object.js'
import { AGE, labelText, NAME, type Column } from './cells.js'

interface WorkloadSpec {
  replicas?: number
  selector?: LabelSelector
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
