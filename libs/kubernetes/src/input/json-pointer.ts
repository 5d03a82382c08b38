import { InputError } from '@ordeal/shared'
import { isMap, type Json, type JsonMap } from './kubernetes-object.js'

/** The segments of a JSON pointer (RFC 6901): `''` is the whole document. Throws InputError when it is none. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) throw new InputError(`'${pointer}' is not a JSON pointer`, null, "Begin it with '/'")
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export const formatPointer = (segments: readonly (string | number)[]): string =>
  segments.map((s) => `/${String(s).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The value at a path; undefined when nothing is there. */
export function valueAt(root: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, segment) => {
    if (Array.isArray(value)) return value[listIndex(segment, value.length) ?? -1]
    return isMap(value) && Object.hasOwn(value, segment) ? value[segment] : undefined
  }, root)
}

/** An index into a list; null when the segment is none. `-` is the place after the last item. */
export function listIndex(segment: string, length: number): number | null {
  if (segment === '-') return length
  return /^(0|[1-9]\d*)$/.test(segment) ? Number(segment) : null
}

/**
 * A copy of `root` with `value` at `path`; undefined removes what is there. Missing maps on the way are made, and a
 * list where the next segment is `-` or `0`. Throws InputError when the path leads through a text or beyond a list.
 */
export function withValueAt(
  root: Json | undefined,
  path: readonly string[],
  value: Json | undefined,
): Json | undefined {
  const [segment, ...rest] = path
  if (segment === undefined) return value
  const here = root ?? (value === undefined ? undefined : segment === '-' || segment === '0' ? [] : {})
  if (here === undefined) return undefined
  if (Array.isArray(here)) return withItem(here, segment, (item) => withValueAt(item, rest, value))
  if (isMap(here)) return withField(here, segment, withValueAt(here[segment], rest, value))
  throw new InputError(`'${segment}' cannot be reached: what stands before it is a ${typeof here} without fields`)
}

function withItem(list: Json[], segment: string, change: (item: Json | undefined) => Json | undefined): Json[] {
  const index = listIndex(segment, list.length)
  if (index === null || index > list.length)
    throw new InputError(`'${segment}' is no place in a list of ${list.length}`)
  const item = change(list[index])
  return [...list.slice(0, index), ...(item === undefined ? [] : [item]), ...list.slice(index + 1)]
}

function withField(map: JsonMap, key: string, value: Json | undefined): JsonMap {
  if (value !== undefined) return { ...map, [key]: value }
  return Object.fromEntries(Object.entries(map).filter(([k]) => k !== key))
}
