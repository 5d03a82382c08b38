import { definition, isRecord, resolve, type Schema } from './schemas.js'
import { canonicalQuantity, isQuantity } from './quantity.js'

/** What is wrong with the shape of an object, and where (`spec.template.spec.containers[0].image`). */
export interface Problem {
  readonly field: string
  /** `unknown`: no such field; `type`: not what the schema says; the rest in Kubernetes' own words for causes. */
  readonly reason: 'unknown' | 'type' | 'FieldValueRequired' | 'FieldValueNotSupported' | 'FieldValueInvalid'
  readonly message: string
}

const INTEGER_LIMITS: Record<string, number> = { int32: 2 ** 31, int64: 2 ** 63 }
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/**
 * Reads a JSON value by a schema: null fields count as absent, as in Kubernetes; everything that does not fit is
 * reported, until there are 50 problems. The value returned is a copy.
 */
export function readStructure(value: unknown, definitionName: string): { value: unknown; problems: Problem[] } {
  const reader = new Reader()
  const read = reader.read(value, definition(definitionName), '')
  return { value: read, problems: reader.problems }
}

const MAX_PROBLEMS = 50

class Reader {
  readonly problems: Problem[] = []

  read(value: unknown, node: Schema, path: string): unknown {
    const schema = resolve(node)
    switch (schema.type) {
      case 'object':
        return this.readObject(value, schema, path)
      case 'array':
        return this.readArray(value, schema, path)
      default:
        this.checkScalar(value, schema, path)
        return schema.type === 'quantity' && isQuantity(value) ? canonicalQuantity(value as string | number) : value
    }
  }

  private readObject(value: unknown, schema: Schema, path: string): unknown {
    if (!isRecord(value)) return this.wrongType(value, 'an object', path)
    if (!schema.properties && !schema.values) return value
    const read: Record<string, unknown> = {}
    for (const [field, part] of Object.entries(value)) {
      if (this.problems.length >= MAX_PROBLEMS) break
      this.readField(read, [field, part], schema, path)
    }
    for (const field of schema.required ?? []) this.checkRequired(read, field, path)
    return read
  }

  private readField(
    read: Record<string, unknown>,
    [field, part]: [string, unknown],
    schema: Schema,
    path: string,
  ): void {
    const at = inside(path, field)
    const inner = fieldSchema(schema, field)
    if (!inner) this.report({ field: at, reason: 'unknown', message: `unknown field "${at}"` })
    else if (part !== null && part !== undefined) set(read, field, this.read(part, inner, at))
  }

  private readArray(value: unknown, schema: Schema, path: string): unknown {
    if (!Array.isArray(value)) return this.wrongType(value, 'a list', path)
    const items = schema.items ?? {}
    return value.map((item, index) => this.read(item, items, `${path}[${index}]`))
  }

  private checkRequired(read: Record<string, unknown>, field: string, path: string): void {
    if (Object.hasOwn(read, field)) return
    this.report({ field: inside(path, field), reason: 'FieldValueRequired', message: 'Required value' })
  }

  private checkScalar(value: unknown, schema: Schema, path: string): void {
    const problem = scalarProblem(value, schema)
    if (problem !== null) {
      this.wrongType(value, problem, path)
      return
    }
    const limit = limitProblem(value, schema)
    if (limit) this.report({ field: path, ...limit })
  }

  private wrongType(value: unknown, expected: string, path: string): unknown {
    this.report({ field: path, reason: 'type', message: `expected ${expected}, got ${shown(value)}` })
    return value
  }

  private report(problem: Problem): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem)
  }
}

/** Plain assignment, but `__proto__` becomes a field like any other. */
function set(target: Record<string, unknown>, field: string, value: unknown): void {
  Object.defineProperty(target, field, { value, enumerable: true, writable: true, configurable: true })
}

function inside(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`
}

function fieldSchema(schema: Schema, field: string): Schema | undefined {
  return Object.hasOwn(schema.properties ?? {}, field) ? schema.properties?.[field] : schema.values
}

type Check = (value: unknown, format: string | undefined) => string | null
const expect = (fits: (value: unknown) => boolean, what: string): Check => {
  return (value) => (fits(value) ? null : what)
}

/** What was expected, or null when the value fits; by type. */
const SCALARS: Readonly<Record<string, Check>> = {
  integer: (value, format) => (isInteger(value, format) ? null : `an integer${format ? ` (${format})` : ''}`),
  number: expect((value) => typeof value === 'number', 'a number'),
  boolean: expect((value) => typeof value === 'boolean', 'a boolean'),
  'int-or-string': expect((value) => typeof value === 'string' || isInteger(value, 'int32'), 'an integer or a string'),
  quantity: expect(isQuantity, 'a quantity such as 100m or 64Mi'),
  string: (value, format) => (typeof value === 'string' ? formatProblem(value, format) : 'a string'),
}

function scalarProblem(value: unknown, { type, format }: Schema): string | null {
  return SCALARS[type ?? '']?.(value, format) ?? null
}

function isInteger(value: unknown, format: string | undefined): boolean {
  const limit = INTEGER_LIMITS[format ?? 'int64'] ?? Infinity
  return typeof value === 'number' && Number.isInteger(value) && value >= -limit && value < limit
}

function formatProblem(value: string, format: string | undefined): string | null {
  if (format === 'byte') return BASE64.test(value) ? null : 'base64'
  if (format === 'date-time') return RFC3339.test(value) && !Number.isNaN(Date.parse(value)) ? null : 'an RFC 3339 time'
  return null
}

function limitProblem(value: unknown, schema: Schema): Omit<Problem, 'field'> | null {
  const { enum: values, minimum, maximum, pattern } = schema
  // An empty text is a field that is not given, which defaults fill.
  if (values && value !== '' && !values.includes(value as string)) {
    const list = values.map((one) => `"${one}"`).join(', ')
    const message = `Unsupported value: ${shown(value)}: supported values: ${list}`
    return { reason: 'FieldValueNotSupported', message }
  }
  const wrong = (why: string): Omit<Problem, 'field'> => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${why}`,
  })
  if (minimum !== undefined && (value as number) < minimum) return wrong(`must be greater than or equal to ${minimum}`)
  if (maximum !== undefined && (value as number) > maximum) return wrong(`must be less than or equal to ${maximum}`)
  if (pattern !== undefined && !new RegExp(pattern).test(value as string)) return wrong(`must match ${pattern}`)
  return null
}

/** A value inside a message: short, one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
