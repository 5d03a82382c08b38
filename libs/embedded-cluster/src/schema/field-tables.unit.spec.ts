import { FIELD_TABLES } from './field-tables.js'
import { modelled, only, refusals, refused, within, type FieldRule, type FieldTable } from './fields.js'
import { apiVersionOf, RESOURCES } from './resources.js'
import { definitionName, resolve, type Schema } from './schemas.js'

/** Names of the table that the schema does not have. */
function unknownNames(table: FieldTable, node: Schema, path: string): string[] {
  const schema = resolve(node)
  const inner = schema.type === 'array' ? resolve(schema.items ?? {}) : schema
  return Object.entries(table).flatMap(([field, rule]) => {
    const part = inner.properties?.[field] ?? inner.values
    if (!part) return [`${path}.${field}`]
    return rule.rule === 'within' ? unknownNames(rule.fields, part, `${path}.${field}`) : []
  })
}

/** The rule that decides about every field of the schema: its path and what happens. */
function decisions(table: FieldTable, node: Schema, path: string): [string, FieldRule['rule']][] {
  const schema = resolve(node)
  const inner = schema.type === 'array' ? resolve(schema.items ?? {}) : schema
  return Object.entries(inner.properties ?? {}).flatMap(([field, part]) => {
    const rule = table[field]
    const at = `${path}.${field}`
    if (rule?.rule !== 'within') return [[at, rule?.rule ?? 'refused']] as [string, FieldRule['rule']][]
    return decisions(rule.fields, part, at)
  })
}

const written = RESOURCES.filter(({ readOnly }) => !readOnly)

describe('FIELD_TABLES', () => {
  it.each(written.map((one) => [one.kind, one] as const))(
    '%s has a table whose every name is in the schema',
    (_, one) => {
      const table = FIELD_TABLES[one.key]
      expect(table).toBeDefined()
      const name = definitionName(apiVersionOf(one), one.kind)
      expect(unknownNames(table ?? {}, { ref: name ?? '' }, one.kind)).toEqual([])
    },
  )

  it.each(written.map((one) => [one.kind, one] as const))('%s: every field of the schema is decided', (_, one) => {
    const name = definitionName(apiVersionOf(one), one.kind)
    const decided = decisions(FIELD_TABLES[one.key] ?? {}, { ref: name ?? '' }, one.kind)
    expect(decided.length).toBeGreaterThan(3)
    expect(decided.filter(([, rule]) => rule === 'modelled').length).toBeGreaterThan(1)
  })

  it('gives a reason for everything that is kept without effect', () => {
    const reasons = (table: FieldTable): string[] =>
      Object.values(table).flatMap((rule) => {
        if (rule.rule === 'within') return reasons(rule.fields)
        return rule.rule === 'inert' || rule.rule === 'only' ? [rule.reason] : []
      })
    const all = Object.values(FIELD_TABLES).flatMap((table) => reasons(table))
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter((reason) => reason.length < 10)).toEqual([])
  })
})

describe('refusals', () => {
  const table: FieldTable = {
    spec: within({ a: modelled, b: refused('why'), c: only([1], 'one only'), list: within({ name: modelled }) }),
  }

  it('names the path of every field that is not taken', () => {
    const found = refusals({ spec: { a: 1, b: 2, c: 3, d: 4, list: [{ name: 'x' }, { other: 1 }] } }, table)
    expect(found.map(({ field }) => field)).toEqual(['spec.b', 'spec.c', 'spec.d', 'spec.list[1].other'])
    expect(found[0]?.message).toBe('not modelled by the embedded cluster: spec.b (why)')
  })

  it('takes the values that are listed, and what is stored already', () => {
    expect(refusals({ spec: { c: 1 } }, table)).toEqual([])
    expect(refusals({ spec: { c: 3, d: 4 } }, table, { spec: { c: 3, d: 4 } })).toEqual([])
    expect(refusals({ spec: { c: 4 } }, table, { spec: { c: 3 } })).toHaveLength(1)
  })
})
