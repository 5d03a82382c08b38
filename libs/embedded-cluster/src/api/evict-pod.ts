import { matchesSelector } from '../schema/selectors.js'
import { isReady, type Pod, type PodDisruptionBudget } from '../controllers/objects.js'
import { isRecord } from '../schema/schemas.js'
import { readStructure } from '../schema/structure.js'
import { ApiError, badRequest } from '../store/api-error.js'
import { timestamp } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import type { Kernel } from '../kernel/kernel.js'
import { remove, type DeleteOptions } from './delete-object.js'
import { getObject } from './read-objects.js'
import type { Reply } from './reply.js'
import type { ResourcePath } from '../schema/resource-path.js'

interface BudgetStatus {
  observedGeneration?: number
  disruptionsAllowed?: number
  desiredHealthy?: number
  currentHealthy?: number
  disruptedPods?: Record<string, string>
}

/**
 * POST of a pod's `eviction`: deletes it, unless its disruption budget is against that. Throws ApiError 400, 404, 429
 * (the budget says no, for now), 500 (more than one budget).
 */
export function evictPod(
  cluster: { store: ObjectStore; kernel: Kernel },
  path: ResourcePath & { name: string },
  body: unknown,
  dryRun: boolean,
): Reply {
  const options = readOptions(path.name, body)
  const pod = getObject(cluster.store, path) as Pod
  const budget = hasEnded(pod) ? undefined : budgetOf(cluster.store, pod)
  if (budget && !mayGoAnyway(pod, budget)) spend(cluster, pod, budget, dryRun)
  if (!dryRun) {
    mark(cluster, pod)
    remove(cluster.store, path, getObject(cluster.store, path), options)
  }
  return {
    kind: 'json',
    code: 201,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}

function readOptions(name: string, body: unknown): DeleteOptions {
  const { value, problems } = readStructure(body ?? {}, 'policy.v1.Eviction')
  const [problem] = problems
  if (problem) throw badRequest(`Eviction: ${problem.field}: ${problem.message}`)
  const { metadata, deleteOptions } = value as { metadata?: { name?: string }; deleteOptions?: DeleteOptions }
  if (metadata?.name !== undefined && metadata.name !== name) {
    throw badRequest('name in URL does not match name in Eviction object')
  }
  return isRecord(deleteOptions) ? deleteOptions : {}
}

const hasEnded = ({ status, metadata }: Pod): boolean =>
  ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '') || metadata.deletionTimestamp !== undefined

function budgetOf(store: ObjectStore, pod: Pod): PodDisruptionBudget | undefined {
  const all = store.list<PodDisruptionBudget>('poddisruptionbudgets.policy', pod.metadata.namespace)
  const [first, second] = all.filter(({ spec }) => matchesSelector(spec.selector, pod.metadata.labels))
  if (!second) return first
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
  throw new ApiError(500, 'InternalError', message)
}

/** A pod that is not ready counts for nothing, so that its going costs nothing. */
function mayGoAnyway(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false
  const { currentHealthy = 0, desiredHealthy = 0 } = (status ?? {}) as BudgetStatus
  const { unhealthyPodEvictionPolicy } = spec as { unhealthyPodEvictionPolicy?: string }
  return unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0)
}

function spend(
  { store, kernel }: { store: ObjectStore; kernel: Kernel },
  pod: Pod,
  budget: PodDisruptionBudget,
  dryRun: boolean,
): void {
  const status = (budget.status ?? {}) as BudgetStatus
  const { name, generation = 1 } = budget.metadata
  if ((status.observedGeneration ?? 0) < generation) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const allowed = status.disruptionsAllowed ?? 0
  if (allowed <= 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status
    throw tooMany(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    )
  }
  if (dryRun) return
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: timestamp(kernel.now) }
  store.update('poddisruptionbudgets.policy', {
    ...budget,
    status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods },
  })
}

function tooMany(message: string, retryAfterSeconds?: number): ApiError {
  const what = "Cannot evict pod as it would violate the pod's disruption budget."
  const causes = [{ reason: 'DisruptionBudget', message, field: '' }]
  return new ApiError(429, 'TooManyRequests', what, {
    causes,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function mark({ store, kernel }: { store: ObjectStore; kernel: Kernel }, pod: Pod): void {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: timestamp(kernel.now),
  }
  const conditions = [...(pod.status?.conditions ?? []), condition]
  store.update('pods', { ...pod, status: { phase: 'Pending', ...pod.status, conditions } })
}
