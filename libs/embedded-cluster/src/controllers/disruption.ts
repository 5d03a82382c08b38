import { matchesSelector } from '../schema/selectors.js'
import { type Change, timestamp } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { scaled } from './intstr.js'
import {
  type Deployment,
  isReady,
  keyOf,
  type Pod,
  type PodDisruptionBudget,
  type ReplicaSet,
  splitKey,
  type StatefulSet,
} from './objects.js'
import { controllerOf } from './owners.js'
import { type Reconciler, WorkQueue } from './queue.js'

/** Keeps the status of PodDisruptionBudgets: how many of the pods they cover may be evicted now. */
export class DisruptionController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'disruption', this)
    store.subscribe('poddisruptionbudgets.policy', this.queue, 'addChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): void {
    reconcile(this.cluster, key)
  }

  podChanged({ object }: Change): void {
    const { store } = this.cluster
    for (const budget of store.list<PodDisruptionBudget>('poddisruptionbudgets.policy', object.metadata.namespace)) {
      if (matchesSelector(budget.spec.selector, object.metadata.labels)) this.queue.add(keyOf(budget))
    }
  }
}

function reconcile(cluster: Cluster, key: string): void {
  const budget = cluster.store.get<PodDisruptionBudget>('poddisruptionbudgets.policy', ...splitKey(key))
  if (!budget) return
  const pods = cluster.store
    .listMatching<Pod>('pods', budget.metadata.namespace ?? '', budget.spec.selector)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
  const currentHealthy = pods.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length
  const { expected, desired } = need(cluster, budget, pods)
  const allowed = Math.max(0, expected > 0 ? currentHealthy - desired : 0)
  const old = (budget.status ?? {}) as { conditions?: { status: string; lastTransitionTime: string }[] }
  const status = allowed > 0 ? 'True' : 'False'
  const before = old.conditions?.[0]
  cluster.store.update('poddisruptionbudgets.policy', {
    ...budget,
    status: {
      observedGeneration: budget.metadata.generation,
      disruptionsAllowed: allowed,
      currentHealthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status,
          observedGeneration: budget.metadata.generation,
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
          message: '',
          lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(cluster.kernel.now),
        },
      ],
    },
  })
}

/** How many pods the budget counts on, and how many of them must stay healthy. */
function need(
  cluster: Cluster,
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
): { expected: number; desired: number } {
  if (spec.maxUnavailable !== undefined) {
    const expected = expectedScale(cluster, pods)
    return { expected, desired: Math.max(0, expected - scaled(spec.maxUnavailable, expected, 'up')) }
  }
  const least = spec.minAvailable ?? 1
  const expected = typeof least === 'number' ? pods.length : expectedScale(cluster, pods)
  return { expected, desired: scaled(least, expected, 'up') }
}

/** The sum of the replicas that the pods' controllers ask for. */
function expectedScale(cluster: Cluster, pods: readonly Pod[]): number {
  const scales = new Map<string, number>()
  for (const pod of pods) {
    const scaledBy = scaledOwner(cluster, pod)
    if (scaledBy) scales.set(scaledBy.metadata.uid, scaledBy.spec.replicas ?? 1)
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0)
}

/** What sets the number of pods like this one. */
function scaledOwner({ store }: Cluster, pod: Pod): Deployment | ReplicaSet | StatefulSet | undefined {
  const owner = controllerOf(pod)
  const namespace = pod.metadata.namespace ?? ''
  if (owner?.kind === 'StatefulSet') return store.get<StatefulSet>('statefulsets.apps', namespace, owner.name)
  const set = owner && store.get<ReplicaSet>('replicasets.apps', namespace, owner.name)
  const above = set && controllerOf(set)
  return (above && store.get<Deployment>('deployments.apps', namespace, above.name)) ?? set
}
