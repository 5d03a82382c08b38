import { isDeepStrictEqual } from 'node:util'
import { InputError } from '@ordeal/shared'
import { listIndex, parsePointer, valueAt, withValueAt } from './json-pointer.js'
import { type Json, type JsonMap, textAt } from './kubernetes-object.js'

interface Operation {
  readonly patch: JsonMap
  readonly path: readonly string[]
  readonly place: string
}

/** The operations of RFC 6902. */
const OPERATIONS: Record<string, (value: Json, operation: Operation) => Json> = {
  add: (value, { patch, path }) => add(value, path, patch.value ?? null),
  replace: (value, { patch, path, place }) => {
    there(value, path, place)
    return withValueAt(value, path, patch.value ?? null) ?? null
  },
  remove: (value, { path, place }) => {
    there(value, path, place)
    return withValueAt(value, path, undefined) ?? null
  },
  copy: (value, { patch, path, place }) => add(value, path, there(value, fromOf(patch), place)),
  move: (value, { patch, path, place }) => {
    const moved = there(value, fromOf(patch), place)
    return add(withValueAt(value, fromOf(patch), undefined) ?? null, path, moved)
  },
  test: (value, { patch, path, place }) => {
    if (isDeepStrictEqual(there(value, path, place), patch.value ?? null)) return value
    throw new InputError(`the patch expects something else at /${path.join('/')}`, place)
  },
}

/** One operation of a JSON patch (RFC 6902); without `op` it replaces, as in Skaffold. Throws InputError with the place. */
export function applyPatch(value: Json, patch: JsonMap, place: string): Json {
  const op = textAt(patch, 'op') ?? 'replace'
  const operation = Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined
  if (operation) return operation(value, { patch, path: parsePointer(textAt(patch, 'path') ?? ''), place })
  throw new InputError(`the patch operation '${op}' is not known`, place, 'add, remove, replace, move, copy or test')
}

const fromOf = (patch: JsonMap): string[] => parsePointer(textAt(patch, 'from') ?? '')

function there(value: Json, path: readonly string[], place: string): Json {
  const found = valueAt(value, path)
  if (found !== undefined) return found
  throw new InputError(`there is nothing at /${path.join('/')}, which the patch names`, place)
}

/** `add` at an index of a list moves what stands there one on. */
function add(value: Json, path: readonly string[], item: Json): Json {
  const parent = path.slice(0, -1)
  const list = valueAt(value, parent)
  if (!Array.isArray(list)) return withValueAt(value, path, item) ?? null
  const index = listIndex(path.at(-1) ?? '-', list.length) ?? list.length
  return withValueAt(value, parent, [...list.slice(0, index), item, ...list.slice(index)]) ?? null
}
