import { formatPointer, listIndex, valueAt, withValueAt } from '../input/json-pointer.js'
import { type Json, type JsonMap } from '../input/kubernetes-object.js'

/**
 * The operation of a JSON patch (RFC 6902) that sets the value at a path of an object, or removes it. What is missing on
 * the way is added with it, since such a patch adds nothing below what is not there.
 */
export function jsonPatchOperation(object: Json, path: readonly string[], after: Json | undefined): JsonMap {
  if (after === undefined) return { op: 'remove', path: formatPointer(path) }
  if (valueAt(object, path) !== undefined) return { op: 'replace', path: formatPointer(path), value: after }
  const depth = deepest(object, path)
  const [above, below] = [path.slice(0, depth + 1), path.slice(depth + 1)]
  const parent = valueAt(object, path.slice(0, depth))
  const isEnd = Array.isArray(parent) && listIndex(path[depth] ?? '', parent.length) === parent.length
  const target = isEnd ? [...above.slice(0, -1), '-'] : above
  return { op: 'add', path: formatPointer(target), value: withValueAt(undefined, below, after) ?? null }
}

/** How many segments of a path lead to something that is there. */
function deepest(object: Json, path: readonly string[]): number {
  const missing = path.findIndex((_, index) => valueAt(object, path.slice(0, index + 1)) === undefined)
  return missing < 0 ? path.length : missing
}
