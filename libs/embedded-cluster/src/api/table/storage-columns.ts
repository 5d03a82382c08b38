import type { ResourceKey } from '../../schema/resources.js'
import type { StoredObject } from '../../store/object.js'
import { AGE, NAME, type Column } from './cells.js'

interface Spec {
  accessModes?: string[]
  capacity?: { storage?: string }
  storageClassName?: string
  volumeName?: string
  persistentVolumeReclaimPolicy?: string
  claimRef?: { namespace?: string; name?: string }
}

const specOf = ({ spec }: StoredObject): Spec => spec ?? {}
const statusOf = ({ status }: StoredObject) => (status ?? {}) as { phase?: string; capacity?: { storage?: string } }

const SHORT: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}
const modes = (object: StoredObject): string => (specOf(object).accessModes ?? []).map((mode) => SHORT[mode]).join(',')

/** Columns of claims, volumes and their classes. */
export const STORAGE_COLUMNS: Readonly<Partial<Record<ResourceKey, readonly Column[]>>> = {
  persistentvolumeclaims: [
    NAME,
    { name: 'Status', cell: (object) => statusOf(object).phase ?? '' },
    { name: 'Volume', cell: (object) => specOf(object).volumeName ?? '' },
    { name: 'Capacity', cell: (object) => statusOf(object).capacity?.storage ?? '' },
    { name: 'Access Modes', cell: (object) => (statusOf(object).phase === 'Bound' ? modes(object) : '') },
    { name: 'StorageClass', cell: (object) => specOf(object).storageClassName ?? '' },
    AGE,
  ],
  persistentvolumes: [
    NAME,
    { name: 'Capacity', cell: (object) => specOf(object).capacity?.storage ?? '' },
    { name: 'Access Modes', cell: modes },
    { name: 'Reclaim Policy', cell: (object) => specOf(object).persistentVolumeReclaimPolicy ?? '' },
    { name: 'Status', cell: (object) => statusOf(object).phase ?? '' },
    { name: 'Claim', cell: claimText },
    { name: 'StorageClass', cell: (object) => specOf(object).storageClassName ?? '' },
    AGE,
  ],
  'storageclasses.storage.k8s.io': [
    NAME,
    { name: 'Provisioner', cell: ({ provisioner }) => provisioner as string },
    { name: 'ReclaimPolicy', cell: ({ reclaimPolicy }) => reclaimPolicy as string },
    { name: 'VolumeBindingMode', cell: ({ volumeBindingMode }) => volumeBindingMode as string },
    AGE,
  ],
}

function claimText(object: StoredObject): string {
  const { namespace, name } = specOf(object).claimRef ?? {}
  return name === undefined ? '' : `${namespace ?? ''}/${name}`
}
