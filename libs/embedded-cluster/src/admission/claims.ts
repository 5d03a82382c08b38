import { defaultClass } from '../storage/storage-classes.js'
import { CLAIM_PROTECTION } from '../storage/protection.js'
import { type Admission } from './admit.js'

/** A claim that names no class gets the default one, and stays while pods use it. */
export const withClaimDefaults: Admission = (store, object) => {
  const { finalizers = [] } = object.metadata
  const spec = object.spec as { storageClassName?: string }
  const found = spec.storageClassName === undefined ? defaultClass(store) : undefined
  const metadata = { ...object.metadata, finalizers: [...new Set([...finalizers, CLAIM_PROTECTION])] }
  return { ...object, metadata, spec: found ? { ...spec, storageClassName: found.metadata.name } : spec }
}
