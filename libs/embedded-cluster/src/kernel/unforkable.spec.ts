import { Observers } from './observers.js'

/** Classes of the language whose content `fork` copies, and those whose content is out of its reach. */
const COLLECTIONS = [Map, Set]
const OPAQUE = [WeakMap, WeakSet, WeakRef, Promise, Date, RegExp, ArrayBuffer, DataView]

/**
 * Everything below a root that a fork would get wrong, each with its path: functions, state that cannot be seen, and
 * frozen objects that hold something that can still change (they are shared).
 */
export function findUnforkable(root: object): string[] {
  const seen = new Set<object>()
  const problems: string[] = []
  const waiting: [path: string, value: unknown, within: boolean][] = [['engine', root, false]]
  // Breadth first, for the shortest path to each.
  for (const [path, value, withinFrozen] of waiting) {
    if (typeof value === 'function') problems.push(`${path}: a function`)
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const frozen = Object.isFrozen(value)
    const problem = problemOf(value, frozen, withinFrozen)
    if (problem) problems.push(`${path}: ${problem}`)
    else for (const [name, part] of partsOf(value)) waiting.push([`${path}${name}`, part, frozen])
  }
  return problems
}

function problemOf(value: object, frozen: boolean, withinFrozen: boolean): string | null {
  const opaque = OPAQUE.find((type) => value instanceof type) ?? (ArrayBuffer.isView(value) ? ArrayBuffer : undefined)
  if (opaque) return `a ${value.constructor.name}, whose content cannot be copied`
  if (withinFrozen && !frozen) return 'can change, within a frozen object'
  if (frozen && COLLECTIONS.some((type) => value instanceof type)) return 'a frozen Map or Set can still change'
  if (Object.getOwnPropertySymbols(value).length > 0) return 'fields by symbol'
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value))
  const hidden = fields.find(([name, field]) => !(Array.isArray(value) && name === 'length') && isHidden(field))
  return hidden ? `${hidden[0]} is an accessor or not enumerable` : null
}

const isHidden = (field: PropertyDescriptor): boolean => !('value' in field) || field.enumerable !== true

function partsOf(value: object): [name: string, part: unknown][] {
  // What observers hold stays behind.
  if (value instanceof Observers) return []
  if (value instanceof Map) return [...value].flatMap(([key, part]) => named(String(key), [key, part]))
  if (value instanceof Set) return named('member', [...value])
  return Object.entries(value).map(([name, part]) => [`.${name}`, part])
}

const named = (name: string, parts: unknown[]): [string, unknown][] => parts.map((part) => [`[${name}]`, part])
