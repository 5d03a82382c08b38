import { type OwnerReference, type StoredObject } from '../store/object.js'

/** The reference that makes `owner` the managing controller of an object. */
export function ownerReference({ apiVersion, kind, metadata }: StoredObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true }
}

export function controllerOf(object: StoredObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller)
}
