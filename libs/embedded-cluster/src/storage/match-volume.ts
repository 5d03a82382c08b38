import { parseQuantity } from '../schema/quantity.js'
import { matchesSelector } from '../schema/selectors.js'
import { type PersistentVolume, type PersistentVolumeClaim } from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'

/** The volume that is there for a claim: reserved for it, or the smallest free one that is large enough. */
export function volumeFor(store: ObjectStore, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const all = store.list<PersistentVolume>('persistentvolumes').filter(isUsable)
  const reserved = all.find(({ spec }) => isFor(spec.claimRef, claim))
  if (reserved) return reserved
  const { volumeName } = claim.spec
  if (volumeName) return all.find(({ metadata, spec }) => metadata.name === volumeName && !spec.claimRef)
  const free = all.filter((volume) => !volume.spec.claimRef && suits(volume, claim))
  return free.sort((a, b) => sizeOf(a.spec.capacity) - sizeOf(b.spec.capacity))[0]
}

const isUsable = ({ metadata, status }: PersistentVolume): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Released' && status?.phase !== 'Failed'

/** Whether a volume's reservation means the claim: by uid once it is bound, by name before. */
export function isFor(ref: PersistentVolume['spec']['claimRef'], { metadata }: PersistentVolumeClaim): boolean {
  if (ref?.name !== metadata.name || ref.namespace !== metadata.namespace) return false
  return ref.uid === undefined || ref.uid === metadata.uid
}

function suits({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { storageClassName = '', accessModes = [], selector, resources } = claim.spec
  return (
    (spec.storageClassName ?? '') === storageClassName &&
    accessModes.every((mode) => spec.accessModes?.includes(mode)) &&
    sizeOf(spec.capacity) >= sizeOf(resources?.requests) &&
    (!selector || matchesSelector(selector, metadata.labels))
  )
}

const sizeOf = (quantities: Readonly<Record<string, string | number>> = {}): number =>
  parseQuantity(quantities.storage ?? 0)
