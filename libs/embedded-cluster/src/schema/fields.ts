import { sameJson } from '../store/object.js'
import { isRecord } from './schemas.js'

/**
 * What the embedded cluster does with a field: it acts on it, it keeps it because it changes nothing that is
 * simulated (with the reason), it takes certain values only, or it refuses it. A field that no table names is refused.
 */
export type FieldRule =
  | { readonly rule: 'modelled' }
  | { readonly rule: 'inert'; readonly reason: string }
  | { readonly rule: 'only'; readonly values: readonly unknown[]; readonly reason: string }
  | { readonly rule: 'refused'; readonly reason: string }
  | { readonly rule: 'within'; readonly fields: FieldTable }

/** Rules by field name. Lists are transparent: the rules are those of their items. */
export type FieldTable = Readonly<Record<string, FieldRule>>

export const modelled: FieldRule = { rule: 'modelled' }
export const inert = (reason: string): FieldRule => ({ rule: 'inert', reason })
export const refused = (reason: string): FieldRule => ({ rule: 'refused', reason })
/** Takes these values; any other is refused. */
export const only = (values: readonly unknown[], reason: string): FieldRule => ({ rule: 'only', values, reason })
export const within = (fields: FieldTable): FieldRule => ({ rule: 'within', fields })

/** A field that the embedded cluster cannot honour. */
export interface Refusal {
  readonly field: string
  readonly message: string
}

const UNLISTED: FieldRule = { rule: 'refused', reason: '' }

/**
 * Every field of `value` that the table refuses. What is the same in `old` (the stored object) is let through: the
 * cluster has set it itself, or taken it before.
 */
export function refusals(value: unknown, table: FieldTable, old?: unknown): Refusal[] {
  const found: Refusal[] = []
  walk({ value, old, path: '' }, table, found)
  return found
}

interface Place {
  value: unknown
  old: unknown
  path: string
}

function walk(place: Place, table: FieldTable, found: Refusal[]): void {
  if (Array.isArray(place.value)) {
    const old: unknown[] = Array.isArray(place.old) ? place.old : []
    place.value.forEach((value: unknown, i) => walk({ value, old: old[i], path: `${place.path}[${i}]` }, table, found))
    return
  }
  if (!isRecord(place.value)) return
  const old = isRecord(place.old) ? place.old : {}
  for (const [field, value] of Object.entries(place.value)) {
    const rule = Object.hasOwn(table, field) ? (table[field] as FieldRule) : UNLISTED
    const path = place.path === '' ? field : `${place.path}.${field}`
    if (!sameJson(value, old[field])) judge({ value, old: old[field], path }, rule, found)
  }
}

function judge(place: Place, rule: FieldRule, found: Refusal[]): void {
  switch (rule.rule) {
    case 'modelled':
    case 'inert':
      return
    case 'within':
      return walk(place, rule.fields, found)
    case 'only':
      if (rule.values.some((value) => sameJson(value, place.value))) return
      found.push(refusal(place, rule.reason))
      return
    case 'refused':
      found.push(refusal(place, rule.reason))
  }
}

function refusal(place: Place, reason: string): Refusal {
  const why = reason === '' ? '' : ` (${reason})`
  return { field: place.path, message: `not modelled by the embedded cluster: ${place.path}${why}` }
}
