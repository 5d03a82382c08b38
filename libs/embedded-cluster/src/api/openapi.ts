import { apiVersionOf, RESOURCES, type ResourceDefinition } from '../schema/resources.js'
import { definitionName, DEFINITIONS, type Schema } from '../schema/schemas.js'
import { collectionPath } from '../schema/resource-path.js'
import { groupVersionPaths } from './discovery.js'

type Json = Record<string, unknown>

/** GET /openapi/v3: where each group's document is. */
export function openApiIndex(base: string): Json {
  const paths = groupVersionPaths()
    .filter(hasSchemas)
    .map((path) => [path, { serverRelativeURL: `${base}/openapi/v3/${path}` }])
  return { paths: Object.fromEntries(paths) as Json }
}

/** The newer API of events can only be read: nobody checks what they send to it. */
function hasSchemas(path: string): boolean {
  return RESOURCES.some((one) => path === pathOf(one))
}

function pathOf(one: ResourceDefinition): string {
  return `${one.group ? 'apis' : 'api'}/${apiVersionOf(one)}`
}

/**
 * GET /openapi/v3/PATH: what kubectl needs to check a manifest, to make a strategic merge patch and to explain a
 * field. Null when there is no such group.
 */
export function openApiDocument(path: string): Json | null {
  const found = RESOURCES.filter((one) => path === pathOf(one))
  if (found.length === 0) return null
  const names = new Map<string, Schema>()
  for (const one of found) collect(definitionName(apiVersionOf(one), one.kind), names)
  const kinds = new Map(found.map((one) => [definitionName(apiVersionOf(one), one.kind), one]))
  const schemas = [...names].map(([name, schema]) => [name, withKind(toOpenApi(schema), kinds.get(name))])
  return {
    openapi: '3.0.0',
    info: { title: 'Ordeal embedded cluster', version: '1' },
    paths: Object.fromEntries(found.flatMap(pathEntries)),
    components: { schemas: Object.fromEntries(schemas) as Json },
  }
}

function collect(name: string | undefined, found: Map<string, Schema>): void {
  if (name === undefined || found.has(name)) return
  const schema = DEFINITIONS[name]
  if (!schema) return
  found.set(name, schema)
  for (const ref of refsIn(schema)) collect(ref, found)
}

function refsIn(schema: Schema): string[] {
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.values]
  return parts.flatMap((part) => (part ? [...(part.ref ? [part.ref] : []), ...refsIn(part)] : []))
}

const EXTENSIONS: readonly [keyof Schema, string][] = [
  ['mergeKey', 'x-kubernetes-patch-merge-key'],
  ['patchStrategy', 'x-kubernetes-patch-strategy'],
  ['listType', 'x-kubernetes-list-type'],
  ['listKeys', 'x-kubernetes-list-map-keys'],
]
const FACTS = ['format', 'enum', 'pattern', 'minimum', 'maximum', 'minItems', 'default', 'required'] as const

function toOpenApi(schema: Schema): Json {
  const { properties, values, items } = schema
  const facts = FACTS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const]))
  const extensions = EXTENSIONS.flatMap(([from, to]) =>
    schema[from] === undefined ? [] : [[to, schema[from]] as const],
  )
  const inner = Object.entries(properties ?? {}).map(([name, part]) => [name, toOpenApi(part)])
  return {
    ...(schema.ref ? { allOf: [{ $ref: `#/components/schemas/${schema.ref}` }] } : typeOf(schema)),
    ...Object.fromEntries(facts),
    ...(properties ? { properties: Object.fromEntries(inner) as Json } : {}),
    ...(values ? { additionalProperties: toOpenApi(values) } : {}),
    ...(items ? { items: toOpenApi(items) } : {}),
    ...Object.fromEntries(extensions),
  }
}

function typeOf({ type }: Schema): Json {
  if (type === 'int-or-string') return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
  if (type === 'quantity') return { oneOf: [{ type: 'string' }, { type: 'number' }] }
  return type ? { type } : {}
}

function gvkOf({ group, version, kind }: ResourceDefinition): Json {
  return { group, version, kind }
}

function withKind(schema: Json, one: ResourceDefinition | undefined): Json {
  return one ? { ...schema, 'x-kubernetes-group-version-kind': [gvkOf(one)] } : schema
}

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}))

function pathEntries(one: ResourceDefinition): [string, Json][] {
  const path = collectionPath(one.key, one.namespaced ? '{namespace}' : null)
  const operation = (action: string): Json => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(one),
    parameters: QUERY,
    responses: {},
  })
  return [
    [path, { get: operation('list'), post: operation('post') }],
    [
      `${path}/{name}`,
      { get: operation('get'), put: operation('put'), patch: operation('patch'), delete: operation('delete') },
    ],
  ]
}
