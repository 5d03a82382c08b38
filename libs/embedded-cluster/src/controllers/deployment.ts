import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { recreate, rescale, rollOn } from './deployment-rollout.js'
import { allSets, DESIRED, REVISION, revisionOf, type Rollout, rolloutOf, sizeOf } from './deployment-sets.js'
import { deploymentStatus, untilLate, withCreated } from './deployment-status.js'
import { type Deployment, type DeploymentStatus, splitKey } from './objects.js'
import { controllerOf } from './owners.js'
import { type Reconciler, WorkQueue } from './queue.js'

/** Rolls each Deployment's template out over ReplicaSets, step by step, as upstream's controller does. */
export class DeploymentController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'deployment', this)
    store.subscribe('deployments.apps', this.queue, 'addChanged')
    store.subscribe('replicasets.apps', this, 'setChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): void {
    reconcile(this.cluster, this.queue, key)
  }

  setChanged({ object }: Change): void {
    this.notify(controllerOf(object)?.name, object.metadata.namespace)
  }

  /** Recreate waits for old pods to be gone, which no ReplicaSet's status shows. */
  podChanged({ type, object }: Change): void {
    if (type !== 'DELETED') return
    const namespace = object.metadata.namespace ?? ''
    const set = this.cluster.store.get('replicasets.apps', namespace, controllerOf(object)?.name ?? '')
    this.notify(set && controllerOf(set)?.name, namespace)
  }

  private notify(deployment: string | undefined, namespace: string | undefined): void {
    if (deployment !== undefined) this.queue.add(`${namespace ?? ''}/${deployment}`)
  }
}

function reconcile(cluster: Cluster, queue: WorkQueue, key: string): void {
  const deployment = cluster.store.get<Deployment>('deployments.apps', ...splitKey(key))
  if (!deployment) return
  const before = rolloutOf(cluster, deployment)
  if (deployment.metadata.deletionTimestamp === undefined) step(cluster, before)
  const after = rolloutOf(cluster, deployment)
  if (before.current === null && after.current !== null) return tellCreated(cluster, after)
  // A set that its own controller has not seen yet has nothing to tell.
  if (after.current && after.current.status?.observedGeneration === undefined) return
  const written = writeStatus(cluster, after)
  const late = untilLate(written, cluster.kernel.now)
  if (late !== null) queue.addAfter(key, late)
}

function step(cluster: Cluster, rollout: Rollout): void {
  const { spec } = rollout.deployment
  if (spec.paused || isRescaled(rollout)) return rescale(cluster, rollout)
  if (spec.strategy?.type === 'Recreate') recreate(cluster, rollout)
  else rollOn(cluster, rollout)
  cleanUp(cluster, rolloutOf(cluster, rollout.deployment))
}

/** The sets were last scaled for another number of replicas. */
function isRescaled(rollout: Rollout): boolean {
  return allSets(rollout).some((set) => {
    const desired = set.metadata.annotations?.[DESIRED]
    return sizeOf(set) > 0 && desired !== undefined && Number(desired) !== rollout.replicas
  })
}

/** The counts follow when the new set has counted. */
function tellCreated(cluster: Cluster, rollout: Rollout): void {
  const { status = {} } = rollout.deployment
  const conditions = withCreated(rollout, cluster.kernel.now)
  write(cluster, rollout, { ...status, conditions })
}

const writeStatus = (cluster: Cluster, rollout: Rollout): Deployment =>
  write(cluster, rollout, deploymentStatus(rollout, cluster.kernel.now))

function write(cluster: Cluster, { deployment, current }: Rollout, status: DeploymentStatus): Deployment {
  const revision: Record<string, string> = current ? { [REVISION]: String(revisionOf(current)) } : {}
  const annotations = { ...deployment.metadata.annotations, ...revision }
  const metadata = Object.keys(annotations).length > 0 ? { ...deployment.metadata, annotations } : deployment.metadata
  return cluster.store.update<Deployment>('deployments.apps', { ...deployment, metadata, status })
}

/** Forgets the oldest revisions beyond the limit, once the rollout is done. */
function cleanUp({ store }: Cluster, { deployment, old, current, replicas }: Rollout): void {
  if (current?.status?.availableReplicas !== replicas) return
  const limit = deployment.spec.revisionHistoryLimit ?? 10
  const idle = old.filter((set) => sizeOf(set) === 0 && (set.status?.replicas ?? 0) === 0)
  const surplus = [...idle].sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, idle.length - limit))
  for (const { metadata } of surplus) store.remove('replicasets.apps', metadata.namespace ?? '', metadata.name)
}
