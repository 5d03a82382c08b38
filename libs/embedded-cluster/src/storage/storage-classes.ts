import { withDefaults } from '../schema/defaults.js'
import { type StorageClass } from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

/** The class of claims that name none, as every cluster that people rent has one. */
export function createDefaultClass(store: ObjectStore): void {
  store.create(
    'storageclasses.storage.k8s.io',
    withDefaults({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard', annotations: { [DEFAULT_CLASS]: 'true' } },
      provisioner: 'volumes.embedded',
    }),
  )
}

/** The newest of the classes that are marked as the default, as upstream chooses. */
export function defaultClass(store: ObjectStore): StorageClass | undefined {
  const classes = store.list<StorageClass>('storageclasses.storage.k8s.io')
  return classes.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true').at(-1)
}
