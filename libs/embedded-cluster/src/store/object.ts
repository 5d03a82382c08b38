export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** `metadata` of an object; the fields that the store keeps are optional because a caller need not set them. */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  [field: string]: unknown
}

/** `metadata` of an object that is in the store. */
export interface StoredMeta extends ObjectMeta {
  name: string
  uid: string
  resourceVersion: string
  creationTimestamp: string
}

/** Any Kubernetes object on its way into the store. */
export interface K8sObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

/** An object as the store hands it out: deeply frozen; change it by writing a new one. */
export interface StoredObject extends K8sObject {
  metadata: StoredMeta
}

/** One change of a collection. `old` is null for ADDED. */
export interface Change<T extends StoredObject = StoredObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: T
  readonly old: T | null
}

/** Freezes a value deeply; parts that are frozen already (shared with an older version) are not walked again. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeep(part)
  return value
}

/** Structural equality of JSON values; shared parts are equal at once. An undefined field equals a missing one. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b)
  return sameFields(a as Record<string, unknown>, b as Record<string, unknown>)
}

function sameList(a: unknown, b: unknown): boolean {
  return (
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  )
}

function sameFields(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  for (const field in a) if (!sameJson(a[field], b[field])) return false
  for (const field in b) if (b[field] !== undefined && a[field] === undefined) return false
  return true
}

/** RFC 3339 with whole seconds, as Kubernetes writes `metav1.Time`. */
export function timestamp(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}
