import type { StatusCause } from '../store/api-error.js'
import { sameJson } from '../store/object.js'
import { shown } from './structure.js'

/** Causes of a 422, in Kubernetes' words. */
export function required(field: string, detail = ''): StatusCause {
  return { reason: 'FieldValueRequired', message: `Required value${detail ? `: ${detail}` : ''}`, field }
}

export function invalidValue(field: string, value: unknown, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}: ${why}`, field }
}

export function unsupported(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const list = supported.map((one) => `"${one}"`).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown(value)}: supported values: ${list}`,
    field,
  }
}

function duplicate(field: string, value: unknown): StatusCause {
  return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}`, field }
}

export function forbidden(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field }
}

/** Nothing, or one cause when there is a problem with the value. */
export function check(field: string, value: unknown, problem: string | null): StatusCause[] {
  return problem === null ? [] : [invalidValue(field, value, problem)]
}

export function notNegative(field: string, value: unknown): StatusCause[] {
  const wrong = typeof value === 'number' && value < 0
  return wrong ? [invalidValue(field, value, 'must be greater than or equal to 0')] : []
}

export function immutable(field: string, value: unknown, old: unknown): StatusCause[] {
  return sameJson(value, old) ? [] : [invalidValue(field, value, 'field is immutable')]
}

/** One cause per value that was seen before. */
export function unique(values: readonly unknown[], field: (index: number) => string): StatusCause[] {
  const seen = new Set<unknown>()
  return values.flatMap((value, index) => {
    if (value === undefined) return []
    if (seen.has(value)) return [duplicate(field(index), value)]
    seen.add(value)
    return []
  })
}
