import {
  type Node,
  type NodeSelectorTerm,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'
import { claimsOf } from './claims-of.js'

const ZONE = 'topology.kubernetes.io/zone'
const HOSTNAME = 'kubernetes.io/hostname'

/** A disk is where its first user is: volumes that one node at a time may use stay in that node's zone from then on. */
export function pinVolumes(store: ObjectStore, pod: Pod, node: Node): void {
  for (const name of claimsOf(pod)) {
    const claim = store.get<PersistentVolumeClaim>('persistentvolumeclaims', pod.metadata.namespace ?? '', name)
    const volume = store.get<PersistentVolume>('persistentvolumes', null, claim?.spec.volumeName ?? '')
    if (!volume || volume.spec.nodeAffinity || !isExclusive(volume)) continue
    const spec = { ...volume.spec, nodeAffinity: { required: { nodeSelectorTerms: placeOf(node) } } }
    store.update('persistentvolumes', { ...volume, spec })
  }
}

function placeOf({ metadata: { name, labels = {} } }: Node): NodeSelectorTerm[] {
  const key = labels[ZONE] === undefined ? HOSTNAME : ZONE
  return [{ matchExpressions: [{ key, operator: 'In', values: [labels[key] ?? name] }] }]
}

const isExclusive = ({ spec }: PersistentVolume): boolean =>
  !spec.accessModes?.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
