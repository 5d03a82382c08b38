import { formatPointer } from '../input/json-pointer.js'
import { isMap, type Json } from '../input/kubernetes-object.js'

/** Equality of values as JSON has them, wherever they were made: a renderer's worker makes maps of its own. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isMap(a)) return isMap(b) && Object.keys(a).length === Object.keys(b).length && covers(b, a, isSameJson)
  return Array.isArray(a) ? covers(b, a, isSameJson) : a === b
}

/** A place at which two values differ, as a JSON pointer, and what stands there in the second; undefined for nothing. */
export interface Difference {
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Every place at which one value differs from another, as deep as possible; lists of different length differ as a whole. */
export function differencesBetween(before: Json, after: Json, path: readonly (string | number)[] = []): Difference[] {
  if (isSameJson(before, after)) return []
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => below(before[key], after[key], [...path, key]))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => below(item, after[index], [...path, index]))
  }
  return [{ path: formatPointer(path), before, after }]
}

function below(before: Json | undefined, after: Json | undefined, path: readonly (string | number)[]): Difference[] {
  if (before === undefined && after === undefined) return []
  if (before !== undefined && after !== undefined) return differencesBetween(before, after, path)
  return [{ path: formatPointer(path), before, after }]
}

/** True when a value holds all of another, and in maps perhaps more; `isFit` compares what stands in both. */
export function covers(
  value: Json | undefined,
  wanted: Json,
  isFit: typeof covers | typeof isSameJson = covers,
): boolean {
  if (isMap(wanted)) {
    return (
      isMap(value) &&
      Object.entries(wanted).every(([key, item]) => Object.hasOwn(value, key) && isFit(value[key], item))
    )
  }
  if (!Array.isArray(wanted)) return value === wanted
  return Array.isArray(value) && value.length === wanted.length && wanted.every((item, i) => isFit(value[i], item))
}
