import { type ClusterObject } from '@ordeal/kubernetes'

/** What only the server writes; it is no part of what somebody wanted. */
const OF_THE_SERVER = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])
/** Counted up by a controller with every change, also with one that is taken back. */
const COUNTED = new Set(['deployment.kubernetes.io/revision', 'deprecated.daemonset.template.generation'])

const without = (record: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)))

/** Which node a pod is on is the scheduler's. */
function unbound(pod: Omit<ClusterObject, 'status'>): Omit<ClusterObject, 'status'> & ClusterObject {
  const { nodeName: _, ...spec } = pod.spec as Record<string, unknown>
  return { ...(pod as ClusterObject), spec }
}

/** An object as somebody wanted it: without its status and what the server notes of it. */
export function stateOf({ status: _, ...live }: ClusterObject): ClusterObject {
  const object = live.kind === 'Pod' ? unbound(live) : live
  const { annotations, ...metadata } = object.metadata
  const kept = annotations && without(annotations, COUNTED)
  return {
    ...object,
    metadata: {
      ...(without(metadata, OF_THE_SERVER) as ClusterObject['metadata']),
      ...(kept && Object.keys(kept).length > 0 && { annotations: kept as Record<string, string> }),
    },
  }
}

/** Labels by which a Job finds its pods, which the server gives to each anew. */
const OF_A_JOB = new Set([
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'batch.kubernetes.io/job-name',
])

interface Job {
  readonly selector?: unknown
  readonly template?: { readonly metadata?: { readonly labels?: Record<string, unknown> } }
}

/** A state as it can be created again after its object is gone. */
export function asNew(state: ClusterObject): ClusterObject {
  if (state.kind !== 'Job') return state
  const { selector: _, template = {}, ...spec } = state.spec as Job
  const { metadata = {} } = template
  const labels = without(metadata.labels ?? {}, OF_A_JOB)
  const own = without(state.metadata.labels ?? {}, OF_A_JOB) as Record<string, string>
  return {
    ...state,
    metadata: { ...state.metadata, labels: own },
    spec: { ...spec, template: { ...template, metadata: { ...metadata, labels } } },
  }
}
