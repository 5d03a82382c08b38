import { FIELD_TABLES } from './field-tables.js'
import { type FieldRule, type FieldTable } from './fields.js'
import { apiVersionOf, RESOURCES, type ResourceKey } from './resources.js'
import { definitionName, resolve, type Schema } from './schemas.js'

interface Line {
  readonly path: string
  readonly effect: string
}

/** What becomes of every field of every kind, as Markdown: for each kind its fields by what becomes of them, from the one field table. */
export function describeFields(): string {
  const kinds = RESOURCES.filter(({ readOnly }) => !readOnly)
  return kinds.map(({ key, kind, ...one }) => section(key, kind, apiVersionOf(one))).join('\n\n')
}

function section(key: ResourceKey, kind: string, apiVersion: string): string {
  const table = FIELD_TABLES[key] ?? {}
  const found = lines(table, { ref: definitionName(apiVersion, kind) ?? '' }, '')
  const shared = found.filter(({ path }) => !REPEATED.test(path) || key === 'pods')
  const groups = [...Map.groupBy(shared, ({ effect }) => effect)].map(
    ([effect, of]) => `- ${effect}: ${of.map(({ path }) => `\`${path}\``).join(', ')}`,
  )
  return [`### ${kind} (\`${apiVersion}\`)`, '', ...groups].join('\n')
}

/** Metadata is the same everywhere, and a template's spec is a Pod's. */
const REPEATED = /^(?:apiVersion|kind|metadata)$|(^|\.)metadata\.|template\.spec\./

function lines(table: FieldTable, node: Schema, path: string): Line[] {
  const schema = resolve(node)
  const inner = schema.type === 'array' ? resolve(schema.items ?? {}) : schema
  const names = [...new Set([...Object.keys(table), ...Object.keys(inner.properties ?? {})])]
  return names.flatMap((field) => {
    const at = path === '' ? field : `${path}.${field}`
    const rule = table[field]
    const part = inner.properties?.[field] ?? inner.values ?? {}
    return rule?.rule === 'within' ? lines(rule.fields, part, at) : [{ path: at, effect: effectOf(rule) }]
  })
}

function effectOf(rule: FieldRule | undefined): string {
  switch (rule?.rule) {
    case 'modelled':
      return 'modelled'
    case 'inert':
      return `kept, without effect (${rule.reason})`
    case 'only':
      return `${rule.values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')} only (${rule.reason})`
    case 'refused':
      return `refused (${rule.reason})`
    default:
      return 'refused'
  }
}
