import { type Change, InputError } from '@ordeal/shared'
import { parsePointer, withValueAt } from '../input/json-pointer.js'
import { idOf, isMap, type Json, type KubernetesObject } from '../input/kubernetes-object.js'

/**
 * The objects of a revision: a copy with the changes made, in their order. An edit keeps the object's place, a replaced
 * object takes the place of the one it replaces, a created one comes last. Throws InputError for a change of an object
 * that is not there, or a creation of one that is.
 */
export function applyToObjects(objects: readonly KubernetesObject[], changes: readonly Change[]): KubernetesObject[] {
  return changes.reduce<KubernetesObject[]>(apply, [...objects])
}

function apply(objects: KubernetesObject[], change: Change): KubernetesObject[] {
  if (change.kind === 'create') return created(objects, change)
  const index = objects.findIndex((o) => idOf(o) === change.object)
  const object = objects[index]
  if (!object) throw new InputError(`there is no ${change.object} to ${change.kind}`)
  const next = change.kind === 'delete' ? [] : [change.kind === 'edit' ? edited(object, change) : wholeObject(change)]
  return objects.toSpliced(index, 1, ...next)
}

function created(objects: KubernetesObject[], change: Change): KubernetesObject[] {
  const object = wholeObject(change)
  if (!objects.some((o) => idOf(o) === idOf(object))) return [...objects, object]
  throw new InputError(`there is a ${idOf(object)} already`)
}

/** The object with the value at the change's path set, or removed when `after` is undefined. */
export function edited(object: KubernetesObject, change: Change): KubernetesObject {
  return asObject(withValueAt(object, parsePointer(change.path), change.after as Json | undefined), change)
}

/** The object that a creation or replacement brings. */
export const wholeObject = (change: Change): KubernetesObject => asObject(change.after as Json | undefined, change)

function asObject(value: Json | undefined, change: Change): KubernetesObject {
  const isObject = isMap(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string'
  if (isObject && isMap(value.metadata) && typeof value.metadata.name === 'string') return value as KubernetesObject
  throw new InputError(`what the change leaves of ${change.object} is no Kubernetes object`)
}
