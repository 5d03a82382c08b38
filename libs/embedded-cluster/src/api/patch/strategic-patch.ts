import { isRecord, resolve, type Schema } from '../../schema/schemas.js'
import { badRequest } from '../../store/api-error.js'
import { sameJson } from '../../store/object.js'

type Fields = Record<string, unknown>

const ORDER = '$setElementOrder/'
const DELETE = '$deleteFromPrimitiveList/'
const RETAIN = '$retainKeys'
const PATCH = '$patch'

/**
 * Kubernetes' strategic merge patch: like a merge patch, but a list whose schema has a merge key is merged item by
 * item. Understands the directives `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList`. The
 * target is not changed. Throws ApiError 400 for an item without its merge key.
 */
export function strategicPatch(target: unknown, patch: unknown, node: Schema): unknown {
  if (!isRecord(patch)) return patch
  if (patch[PATCH] === 'replace') return without(patch, PATCH)
  if (patch[PATCH] === 'delete') return {}
  const schema = resolve(node)
  const merged = new Map(retained(isRecord(target) ? target : {}, patch[RETAIN]))
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field)
    else if (!field.startsWith('$'))
      merged.set(field, mergedField(merged.get(field), value, fieldSchema(schema, field)))
  }
  applyListDirectives(merged, patch, schema)
  return Object.fromEntries(merged)
}

function fieldSchema(schema: Schema, field: string): Schema {
  return schema.properties?.[field] ?? schema.values ?? {}
}

function retained(target: Fields, keys: unknown): [string, unknown][] {
  const entries = Object.entries(target)
  return Array.isArray(keys) ? entries.filter(([field]) => keys.includes(field)) : entries
}

function mergedField(target: unknown, patch: unknown, node: Schema): unknown {
  const schema = resolve(node)
  const strategy = node.patchStrategy ?? schema.patchStrategy ?? ''
  if (Array.isArray(patch)) {
    const list: unknown[] = Array.isArray(target) ? target : []
    return strategy.includes('merge') ? mergedList(list, patch, schema) : patch
  }
  return strategy === 'replace' ? patch : strategicPatch(target, patch, node)
}

function mergedList(target: readonly unknown[], patch: readonly unknown[], schema: Schema): unknown[] {
  const { mergeKey, items = {} } = schema
  if (mergeKey === undefined) return union(target, patch)
  const directives = patch.filter(isRecord)
  if (directives.some((item) => item[PATCH] === 'replace')) {
    return patch.filter((item) => !isRecord(item) || item[PATCH] !== 'replace')
  }
  return directives.reduce<unknown[]>((list, item) => mergedItem(list, item, { mergeKey, items }), [...target])
}

function mergedItem(list: unknown[], item: Fields, schema: { mergeKey: string; items: Schema }): unknown[] {
  const { mergeKey, items } = schema
  const key = item[mergeKey]
  if (key === undefined) throw badRequest(`a list item of the patch has no ${mergeKey}, by which the list is merged`)
  const isIt = (other: unknown): boolean => isRecord(other) && other[mergeKey] === key
  if (item[PATCH] === 'delete') return list.filter((other) => !isIt(other))
  const found = list.some(isIt)
  if (!found) return [...list, strategicPatch({}, item, items)]
  return list.map((other) => (isIt(other) ? strategicPatch(other, item, items) : other))
}

function union(target: readonly unknown[], patch: readonly unknown[]): unknown[] {
  return [...target, ...patch.filter((value) => !target.some((other) => sameJson(other, value)))]
}

function applyListDirectives(merged: Map<string, unknown>, patch: Fields, schema: Schema): void {
  for (const [directive, values] of Object.entries(patch)) {
    const field = directive.slice(directive.indexOf('/') + 1)
    const list = merged.get(field)
    if (!Array.isArray(values) || !Array.isArray(list)) continue
    if (directive.startsWith(DELETE)) {
      merged.set(
        field,
        list.filter((item) => !values.some((value) => sameJson(value, item))),
      )
    }
    if (directive.startsWith(ORDER)) {
      merged.set(field, ordered(list, values, resolve(schema.properties?.[field] ?? {}).mergeKey))
    }
  }
}

/** Items that the order names stand in that order; the others keep their places. */
function ordered(list: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): unknown[] {
  const keyOf = (item: unknown): unknown => (mergeKey !== undefined && isRecord(item) ? item[mergeKey] : item)
  const rank = new Map(order.map((item, index) => [keyOf(item), index]))
  const named = list.filter((item) => rank.has(keyOf(item)))
  named.sort((a, b) => (rank.get(keyOf(a)) ?? 0) - (rank.get(keyOf(b)) ?? 0))
  return list.map((item) => (rank.has(keyOf(item)) ? named.shift() : item))
}

function without(object: Fields, field: string): Fields {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))
}
