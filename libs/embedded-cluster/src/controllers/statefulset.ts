import { matchesSelector } from '../schema/selectors.js'
import { ApiError } from '../store/api-error.js'
import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { createPod } from './create-pod.js'
import { deletePod } from './delete-pod.js'
import { isAvailable, type Pod, splitKey, type StatefulSet, type StatefulSetStatus } from './objects.js'
import { controllerOf, ownerReference } from './owners.js'
import { type Reconciler, WorkQueue } from './queue.js'
import { currentRevision, forgetRevisions, revisionsOf } from './revisions.js'
import { createClaims, handOverClaims } from './stateful-claims.js'
import { firstOrdinal, ordinalOf, statefulPod } from './stateful-identity.js'
import { isTerminating, isUp, type Revisions, revisionOfPod, statefulStatus } from './stateful-status.js'

const SOURCE = { component: 'statefulset-controller' }

/**
 * Keeps the pods of StatefulSets: one for each ordinal, each with its own name, volumes and place in the order. Unless
 * its pods are managed in parallel, one is made or ended at a time, and only while all before it are ready.
 */
export class StatefulSetController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'statefulset', this)
    store.subscribe('statefulsets.apps', this.queue, 'addChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): 'retry' | void {
    return reconcile(this.cluster, this.queue, key)
  }

  podChanged({ object, old }: Change): void {
    const owner = controllerOf(object) ?? (old ? controllerOf(old) : undefined)
    if (owner?.kind === 'StatefulSet') this.queue.add(`${object.metadata.namespace ?? ''}/${owner.name}`)
  }
}

interface Round {
  readonly cluster: Cluster
  readonly set: StatefulSet
  readonly revisions: Revisions
  /** By ordinal, from the first; undefined where one is missing. */
  readonly replicas: readonly (Pod | undefined)[]
  /** Beyond the wanted number, the highest first. */
  readonly surplus: readonly Pod[]
}

function reconcile(cluster: Cluster, queue: WorkQueue, key: string): 'retry' | void {
  const set = cluster.store.get<StatefulSet>('statefulsets.apps', ...splitKey(key))
  if (!set) return
  const revisions = findRevisions(cluster, set)
  const done = set.metadata.deletionTimestamp === undefined ? attempt(sort(cluster, set, revisions)) : true
  const { readyReplicas = 0, availableReplicas = 0 } = writeStatus(cluster, set, revisions)
  if (availableReplicas < readyReplicas) queue.addAfter(key, (set.spec.minReadySeconds ?? 0) * 1000)
  return done ? undefined : 'retry'
}

function writeStatus(cluster: Cluster, set: StatefulSet, revisions: Revisions): StatefulSetStatus {
  const pods = claim(cluster, set)
  const status = statefulStatus(set, pods, revisions, cluster.kernel.now)
  cluster.store.update('statefulsets.apps', { ...set, status })
  const { current, update } = revisions
  forgetRevisions(cluster, set, new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOfPod)]))
  return status
}

function findRevisions(cluster: Cluster, set: StatefulSet): Revisions {
  const known = revisionsOf(cluster, set)
  const update = currentRevision(cluster, set, known)
  const current = known.find(({ metadata }) => metadata.name === set.status?.currentRevision)
  return { update, current: current ?? update }
}

/** The set's own pods; orphans with its labels and one of its names are adopted on the way. */
function claim({ store }: Cluster, set: StatefulSet): Pod[] {
  const { namespace = '', uid, deletionTimestamp } = set.metadata
  const own = store.listOwned<Pod>('pods', namespace, uid)
  if (deletionTimestamp !== undefined) return own
  const fits = (pod: Pod) =>
    ordinalOf(set, pod) >= 0 && matchesSelector(set.spec.selector, pod.metadata.labels) && !isTerminating(pod)
  const orphans = store.listOwned<Pod>('pods', namespace, null).filter(fits)
  const adopted = orphans.map((pod) => {
    const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownerReference(set)]
    return store.update<Pod>('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences } })
  })
  return [...own, ...adopted]
}

function sort(cluster: Cluster, set: StatefulSet, revisions: Revisions): Round {
  const pods = claim(cluster, set)
  const first = firstOrdinal(set)
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]))
  const replicas = Array.from({ length: set.spec.replicas ?? 1 }, (_, i) => byOrdinal.get(first + i))
  const surplus = pods.filter((pod) => !replicas.includes(pod))
  return {
    cluster,
    set,
    revisions,
    replicas,
    surplus: surplus.sort((a, b) => ordinalOf(set, b) - ordinalOf(set, a)),
  }
}

/** One round of work; false when the API server refused something, which is tried again. */
function attempt(round: Round): boolean {
  try {
    if (provide(round) && reduce(round)) roll(round)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { set, cluster } = round
    const message = `create Pod in StatefulSet ${set.metadata.name} failed error: ${error.message}`
    cluster.events.record(set, SOURCE, { type: 'Warning', reason: 'FailedCreate', message })
    return false
  }
}

const inOrder = ({ spec }: StatefulSet): boolean => spec.podManagementPolicy !== 'Parallel'

/** Sees to every ordinal in turn; false when a later one must wait. */
function provide(round: Round): boolean {
  const { set } = round
  for (const [index, pod] of round.replicas.entries()) {
    const goesOn = see(round, firstOrdinal(set) + index, pod)
    if (!goesOn && inOrder(set)) return false
  }
  return true
}

/** True when the ordinal has a pod that is up, so that the next may be seen to. */
function see(round: Round, ordinal: number, pod: Pod | undefined): boolean {
  const { cluster, set } = round
  if (!pod) {
    create(round, ordinal)
    return false
  }
  const { phase } = pod.status ?? {}
  if (phase === 'Failed' || phase === 'Succeeded') {
    if (!isTerminating(pod)) end(round, pod)
    return false
  }
  if (phase === 'Pending') createClaims(cluster, set, ordinal)
  return !isUnavailable(round, pod)
}

function isUnavailable({ cluster, set }: Round, pod: Pod): boolean {
  if (isTerminating(pod) || !isUp(pod)) return true
  return !isAvailable(pod, set.spec.minReadySeconds ?? 0, cluster.kernel.now)
}

function create({ cluster, set, revisions }: Round, ordinal: number): void {
  createClaims(cluster, set, ordinal)
  const revision = wantsCurrent(set, ordinal) ? revisions.current : revisions.update
  const pod = createPod(cluster, statefulPod(set, revision, ordinal))
  tell(cluster, set, pod, 'Create')
}

/** Ordinals below the partition stay with the revision from before the roll-out. */
function wantsCurrent({ spec, status, ...set }: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = spec.updateStrategy ?? {}
  if (type === 'OnDelete') return false
  const index = ordinal - firstOrdinal({ spec, ...set })
  return index < (rollingUpdate ? (rollingUpdate.partition ?? 0) : (status?.currentReplicas ?? 0))
}

function end({ cluster, set }: Round, pod: Pod): void {
  deletePod(cluster, pod)
  tell(cluster, set, pod, 'Delete')
}

function tell({ events }: Cluster, set: StatefulSet, pod: Pod, what: 'Create' | 'Delete'): void {
  const message = `${what.toLowerCase()} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`
  events.record(set, SOURCE, { type: 'Normal', reason: `Successful${what}`, message })
}

/** Ends what is beyond the wanted number, the highest ordinal first; false when a roll-out must wait. */
function reduce(round: Round): boolean {
  const { cluster, set, surplus } = round
  for (const pod of surplus) handOverClaims(cluster, set, pod)
  for (const pod of surplus) {
    if (isTerminating(pod)) {
      if (inOrder(set)) return false
      continue
    }
    end(round, pod)
    if (inOrder(set)) return false
  }
  return true
}

/** Ends the highest pod that is not of the newest revision, once those above it are up. */
function roll(round: Round): void {
  const { set, replicas, revisions } = round
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return
  for (let index = replicas.length - 1; index >= (rollingUpdate?.partition ?? 0); index--) {
    const pod = replicas[index]
    if (!pod) return
    if (revisionOfPod(pod) !== revisions.update.metadata.name && !isTerminating(pod)) return end(round, pod)
    if (isUnavailable(round, pod)) return
  }
}
