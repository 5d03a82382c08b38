import { type KubernetesObject, mapAt, numberAt, parsePointer } from '@ordeal/kubernetes'
import { type Change, type Workload } from '@ordeal/shared'

/** More pods than these are no small patch. */
const MAX_REPLICAS = 5

const POD_FIELDS = ['affinity', 'topologySpreadConstraints', 'terminationGracePeriodSeconds']
const CONTAINER_FIELDS = ['readinessProbe', 'livenessProbe', 'startupProbe', 'lifecycle', 'resources']
const SPEC_FIELDS = [
  'replicas',
  'strategy',
  'updateStrategy',
  'minReadySeconds',
  'podManagementPolicy',
  'progressDeadlineSeconds',
]

/** What a model's change may edit, as people are told: images, commands, names, labels and credentials are not among it. */
export const ALLOWED_FIELDS: readonly string[] = [
  ...SPEC_FIELDS.map((field) => `/spec/${field}`),
  ...POD_FIELDS.map((field) => `/spec/template/spec/${field}`),
  ...CONTAINER_FIELDS.map((field) => `/spec/template/spec/containers/<n>/${field}`),
]

function isAllowed(path: string): boolean {
  const steps = parsePointer(path).map((step) => (/^\d+$/.test(step) ? '<n>' : step))
  return ALLOWED_FIELDS.some((allowed) => {
    const wanted = parsePointer(allowed)
    return wanted.every((step, i) => steps[i] === step)
  })
}

/** Kinds of objects that may be added: they protect what is there and run nothing. */
export const ALLOWED_NEW_KINDS: readonly string[] = ['PodDisruptionBudget']

/** Why a model's change may not be made, or none. The catalogue's own changes are policy themselves. */
export function policyProblems(change: Change, workload: Workload, object: KubernetesObject): string[] {
  if (change.kind === 'create') {
    const kind = change.object.split('/')[0] ?? ''
    return ALLOWED_NEW_KINDS.includes(kind) ? [] : [`a ${kind} may not be added; only ${ALLOWED_NEW_KINDS.join(', ')}`]
  }
  if (change.kind !== 'edit') return [`only edits and additions are allowed, not a ${change.kind}`]
  if (change.object !== workload.id) return [`only ${workload.id} may be edited, not ${change.object}`]
  if (!isAllowed(change.path)) return [`${change.path} may not be edited; only ${ALLOWED_FIELDS.join(', ')}`]
  return replicaProblems(change, workload, object)
}

function replicaProblems({ path, after }: Change, workload: Workload, object: KubernetesObject): string[] {
  if (path !== '/spec/replicas') return []
  if (workload.stateful) return ['each of its pods keeps data of its own: more replicas would be more databases']
  const now = numberAt(mapAt(object, 'spec'), 'replicas') ?? 1
  const isMore = typeof after === 'number' && Number.isInteger(after) && after >= now && after <= MAX_REPLICAS
  return isMore ? [] : [`replicas must be a whole number from ${now} to ${MAX_REPLICAS}`]
}
