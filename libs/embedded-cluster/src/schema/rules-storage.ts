import type { StatusCause } from '../store/api-error.js'
import { sameJson, type K8sObject, type StoredObject } from '../store/object.js'
import { forbidden, invalidValue, required, unsupported } from './causes.js'
import { parseQuantity } from './quantity.js'

/** What the rules read of a PersistentVolumeClaim's spec. */
export interface ClaimSpec {
  accessModes?: string[]
  resources?: { requests?: Record<string, string | number> }
  volumeName?: string
  storageClassName?: string
}

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

export function claimCauses(object: K8sObject, old?: StoredObject): StatusCause[] {
  const spec = object.spec as ClaimSpec | undefined
  return [...claimSpecCauses(spec, 'spec'), ...(old && spec ? claimChange(spec, old.spec as ClaimSpec) : [])]
}

/** What is wrong with a claim's spec, of its own or in a StatefulSet. */
export function claimSpecCauses(spec: ClaimSpec | undefined, path: string): StatusCause[] {
  const { accessModes = [], resources } = spec ?? {}
  const storage = resources?.requests?.storage
  return [
    ...(accessModes.length === 0 ? [required(`${path}.accessModes`, 'at least 1 access mode is required')] : []),
    ...modeCauses(accessModes, path),
    ...(storage === undefined ? [required(`${path}.resources[storage]`)] : []),
    ...(storage !== undefined && parseQuantity(storage) <= 0
      ? [invalidValue(`${path}.resources[storage]`, storage, 'must be greater than zero')]
      : []),
  ]
}

function modeCauses(modes: readonly string[], path: string): StatusCause[] {
  const unknown = modes.filter((mode) => !MODES.includes(mode))
  const alone = modes.includes('ReadWriteOncePod') && modes.length > 1
  return [
    ...unknown.map((mode) => unsupported(`${path}.accessModes`, mode, MODES)),
    ...(alone ? [forbidden(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes')] : []),
  ]
}

/** A claim's spec stays, but for its size and what binds it. */
function claimChange(spec: ClaimSpec, old: ClaimSpec): StatusCause[] {
  const fixed = (one: ClaimSpec) => ({
    ...one,
    resources: undefined,
    volumeName: old.volumeName ? one.volumeName : undefined,
    storageClassName: old.storageClassName === undefined ? undefined : one.storageClassName,
  })
  if (sameJson(fixed(spec), fixed(old))) return []
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
  return [forbidden('spec', why)]
}

export function volumeCauses(object: K8sObject): StatusCause[] {
  const spec = (object.spec ?? {}) as { capacity?: Record<string, unknown>; accessModes?: string[] }
  return [
    ...(spec.accessModes?.length ? [] : [required('spec.accessModes')]),
    ...(spec.capacity?.storage === undefined ? [required('spec.capacity')] : []),
    ...modeCauses(spec.accessModes ?? [], 'spec'),
  ]
}
