// Extracts, as JSON Schema, Kubernetes' own schemas of the kinds in deploy/k8s: what a strict API server checks of their
// shape, without the prose. `node scripts/make-deploy-schemas.mjs FOLDER`, where FOLDER holds the OpenAPI v3 documents of
// Kubernetes' source (api/openapi-spec/v3).
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './packages.mjs'

const KINDS = {
  'api/v1': ['Namespace', 'ServiceAccount', 'ConfigMap', 'Service'],
  'apis/admissionregistration.k8s.io/v1': ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  'apis/apps/v1': ['Deployment', 'StatefulSet'],
  'apis/batch/v1': ['Job'],
  'apis/networking.k8s.io/v1': ['NetworkPolicy'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/rbac.authorization.k8s.io/v1': ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
}
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('usage: make-deploy-schemas.mjs FOLDER')

const documentOf = (path) => JSON.parse(readFileSync(join(folder, `${path.replaceAll('/', '__')}_openapi.json`)))
const refOf = (schema) => schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0].$ref : undefined)
const given = (entries) => Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))
const mapped = (object, map) => object && Object.fromEntries(Object.entries(object).map(([k, v]) => [k, map(v)]))

function strict(schema, refs) {
  const ref = refOf(schema)
  if (ref) {
    const name = ref.split('/').at(-1)
    refs.add(name)
    return { $ref: `#/definitions/${name}` }
  }
  if (schema.format === 'int-or-string' || schema.oneOf) return { type: ['integer', 'number', 'string'] }
  const { properties, additionalProperties } = schema
  const values = typeof additionalProperties === 'object' ? strict(additionalProperties, refs) : undefined
  return given({
    type: schema.type,
    enum: schema.enum,
    required: schema.required,
    properties: mapped(properties, (part) => strict(part, refs)),
    additionalProperties: values ?? (properties ? false : undefined),
    items: schema.items && strict(schema.items, refs),
  })
}

const schemas = {}
const kinds = {}
for (const [path, names] of Object.entries(KINDS)) {
  const found = documentOf(path).components.schemas
  Object.assign(schemas, found)
  const version = path.split('/').at(-1)
  for (const kind of names) {
    const name = Object.keys(found).find((key) => key.endsWith(`.${version}.${kind}`))
    if (!name) throw new Error(`no ${kind} in ${path}`)
    kinds[`${path.replace(/^apis?\//, '')}/${kind}`] = name
  }
}
const definitions = {}
const open = Object.values(kinds)
while (open.length) {
  const name = open.pop()
  if (definitions[name]) continue
  const refs = new Set()
  definitions[name] = strict(schemas[name], refs)
  open.push(...refs)
}
const sorted = Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))
const lines = sorted.map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`)
const text = `{"kinds":${JSON.stringify(kinds)},\n"definitions":{\n${lines.join(',\n')}\n}}\n`
await writeFile(join(root, 'deploy/generated/kubernetes-schemas.json'), text)
