import { withDefaults } from '../schema/defaults.js'
import { type Cluster } from '../controllers/cluster.js'
import {
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  splitKey,
  type StorageClass,
} from '../controllers/objects.js'
import { type Reconciler, WorkQueue } from '../controllers/queue.js'
import { type Change } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { claimsOf } from './claims-of.js'
import { isFor, volumeFor } from './match-volume.js'
import { CLAIM_PROTECTION } from './protection.js'

const SOURCE = { component: 'persistentvolume-controller' }
/** How long the simulated provider takes to make a volume. */
const PROVISION_MS = [50, 200] as const

/**
 * Binds claims to volumes, at once: to one that is there and suits, else to one that the claim's class makes. A claim
 * that is deleted stays until no pod uses it; its volume goes with it, or is kept as released.
 */
export class ClaimController implements Reconciler {
  private readonly queue: WorkQueue
  private readonly volumes: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'claims', this)
    this.volumes = new WorkQueue(kernel, 'volumes', new VolumeReconciler(cluster, this.queue))
    store.subscribe('persistentvolumeclaims', this, 'claimChanged')
    store.subscribe('persistentvolumes', this, 'volumeChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): void {
    reconcileClaim(this.cluster, this, key)
  }

  claimChanged({ object, type }: Change): void {
    if (type !== 'DELETED') return this.queue.add(keyOf(object))
    const { volumeName } = (object as PersistentVolumeClaim).spec
    if (volumeName) this.volumes.add(volumeName)
  }

  volumeChanged({ object, type }: Change): void {
    if (type !== 'DELETED') this.volumes.add(object.metadata.name)
    const free = (object as PersistentVolume).status?.phase === 'Available'
    if (free) for (const claim of this.cluster.store.list('persistentvolumeclaims')) this.queue.add(keyOf(claim))
  }

  podChanged({ type, object }: Change): void {
    const ended = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined
    if (!ended) return
    for (const name of claimsOf(object as Pod)) this.queue.add(`${object.metadata.namespace ?? ''}/${name}`)
  }

  /** For the kernel: the provider has made the volume for a claim of a class. */
  provisioned(claim: PersistentVolumeClaim, className: string): void {
    const { store, events } = this.cluster
    const found = store.get<StorageClass>('storageclasses.storage.k8s.io', null, className)
    const name = `pvc-${claim.metadata.uid}`
    const current = store.get('persistentvolumeclaims', claim.metadata.namespace ?? '', claim.metadata.name)
    if (current?.metadata.uid !== claim.metadata.uid || store.get('persistentvolumes', null, name)) return
    store.create('persistentvolumes', newVolume(claim, name, { className, found }))
    const message = `Successfully provisioned volume ${name}`
    const component = found?.provisioner ?? 'volumes.embedded'
    events.record(claim, { component }, { type: 'Normal', reason: 'ProvisioningSucceeded', message })
  }
}

class VolumeReconciler implements Reconciler {
  constructor(
    private readonly cluster: Cluster,
    private readonly claims: WorkQueue,
  ) {}

  reconcile(name: string): void {
    reconcileVolume(this.cluster, this.claims, name)
  }
}

function reconcileClaim(cluster: Cluster, controller: ClaimController, key: string): void {
  const claim = cluster.store.get<PersistentVolumeClaim>('persistentvolumeclaims', ...splitKey(key))
  if (!claim) return
  if (claim.metadata.deletionTimestamp !== undefined) return release(cluster, claim)
  if (claim.status?.phase === 'Bound') return
  const volume = volumeFor(cluster.store, claim)
  if (volume) return bind(cluster, claim, volume)
  if (claim.spec.volumeName) return
  if (claim.spec.storageClassName) return provision(cluster, controller, claim, claim.spec.storageClassName)
  cluster.events.record(claim, SOURCE, {
    type: 'Normal',
    reason: 'FailedBinding',
    message: 'no persistent volumes available for this claim and no storage class is set',
  })
}

/** A claim that pods still use is kept; they may even be started again with it. */
function release({ store }: Cluster, claim: PersistentVolumeClaim): void {
  const { namespace = '', name, finalizers = [] } = claim.metadata
  const users = store.list<Pod>('pods', namespace).filter((pod) => pod.spec.nodeName && claimsOf(pod).includes(name))
  if (users.length > 0 || !finalizers.includes(CLAIM_PROTECTION)) return
  const left = finalizers.filter((finalizer) => finalizer !== CLAIM_PROTECTION)
  store.update('persistentvolumeclaims', { ...claim, metadata: { ...claim.metadata, finalizers: left } })
}

function bind({ store }: Cluster, claim: PersistentVolumeClaim, volume: PersistentVolume): void {
  const { name, namespace, uid, resourceVersion } = claim.metadata
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
  const bound = isFor(volume.spec.claimRef, claim) && volume.spec.claimRef?.uid ? volume.spec.claimRef : claimRef
  store.update('persistentvolumes', {
    ...volume,
    spec: { ...volume.spec, claimRef: bound },
    status: { phase: 'Bound' },
  })
  const annotations = {
    ...claim.metadata.annotations,
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  }
  store.update('persistentvolumeclaims', {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName: volume.metadata.name },
    status: { phase: 'Bound', accessModes: volume.spec.accessModes, capacity: volume.spec.capacity },
  })
}

function provision(
  cluster: Cluster,
  controller: ClaimController,
  claim: PersistentVolumeClaim,
  className: string,
): void {
  const { kernel, store } = cluster
  const known = store.get('storageclasses.storage.k8s.io', null, className)
  if (!known) cluster.assume(`storage class ${className}: not in the input; taken to make volumes like any other`)
  kernel.after(kernel.stream('volumes').between(...PROVISION_MS), controller, 'provisioned', claim, className)
}

function newVolume(
  { metadata, spec }: PersistentVolumeClaim,
  name: string,
  { className, found }: { className: string; found: StorageClass | undefined },
) {
  const provisioner = found?.provisioner ?? 'volumes.embedded'
  const { namespace, name: claim, uid, resourceVersion } = metadata
  return withDefaults({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: {
      capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
      accessModes: spec.accessModes,
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim, uid, resourceVersion },
      persistentVolumeReclaimPolicy: found?.reclaimPolicy ?? 'Delete',
      storageClassName: className,
      csi: { driver: provisioner, volumeHandle: name },
    },
  })
}

function reconcileVolume({ store }: Cluster, claims: WorkQueue, name: string): void {
  const volume = store.get<PersistentVolume>('persistentvolumes', null, name)
  if (!volume || volume.metadata.deletionTimestamp !== undefined) return
  const { claimRef } = volume.spec
  if (!claimRef?.uid) return offer(store, volume)
  const key = placeOf(claimRef)
  const claim = store.get<PersistentVolumeClaim>('persistentvolumeclaims', ...splitKey(key))
  if (!claim || !isFor(claimRef, claim)) return reclaim(store, volume)
  if (claim.status?.phase !== 'Bound') claims.add(key)
}

const placeOf = ({ namespace = '', name = '' }: { namespace?: string; name?: string }) => `${namespace}/${name}`

function offer(store: ObjectStore, volume: PersistentVolume): void {
  if (volume.status?.phase === 'Pending')
    store.update('persistentvolumes', { ...volume, status: { phase: 'Available' } })
}

/** Its claim is gone. */
function reclaim(store: ObjectStore, volume: PersistentVolume): void {
  if (volume.spec.persistentVolumeReclaimPolicy === 'Delete') {
    store.remove('persistentvolumes', null, volume.metadata.name)
  } else store.update('persistentvolumes', { ...volume, status: { phase: 'Released' } })
}
