// Extracts the structural facts of Kubernetes' own schemas (types, required fields, enums, merge keys; no prose) for
// the kinds of the embedded cluster.
//
//   node scripts/make-schemas.mjs SOURCE [CRD.yaml…]
//
// SOURCE is the URL of a cluster's API server without authentication (`kubectl proxy`: http://127.0.0.1:8001) or a
// folder of its OpenAPI v3 documents named as in Kubernetes' source (`apis__apps__v1_openapi.json`). Definitions of
// custom resources are read from the cluster, or from the files given.
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './packages.mjs'

const KUBERNETES = {
  'api/v1': [
    ...['Namespace', 'Node', 'Pod', 'Service', 'ConfigMap', 'Secret', 'Event', 'PersistentVolume'],
    ...['PersistentVolumeClaim', 'ServiceAccount', 'LimitRange', 'ResourceQuota'],
  ],
  'apis/apps/v1': ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ControllerRevision'],
  'apis/autoscaling/v2': ['HorizontalPodAutoscaler'],
  'apis/batch/v1': ['Job', 'CronJob'],
  'apis/discovery.k8s.io/v1': ['EndpointSlice'],
  'apis/networking.k8s.io/v1': ['Ingress', 'IngressClass', 'NetworkPolicy'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/rbac.authorization.k8s.io/v1': ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  'apis/authorization.k8s.io/v1': ['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
  'apis/authentication.k8s.io/v1': ['SelfSubjectReview'],
  'apis/scheduling.k8s.io/v1': ['PriorityClass'],
  'apis/storage.k8s.io/v1': ['StorageClass'],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
}
const CUSTOM = {
  'apis/chaos-mesh.org/v1alpha1': ['PodChaos', 'NetworkChaos', 'StressChaos', 'DNSChaos', 'HTTPChaos'],
}
const ALSO = [
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'io.k8s.api.autoscaling.v1.Scale',
  'io.k8s.api.policy.v1.Eviction',
]
const target = join(root, 'libs/embedded-cluster/src/schema/generated')

const [source, ...crdFiles] = process.argv.slice(2)
if (!source) throw new Error('usage: make-schemas.mjs URL-OR-FOLDER [CRD.yaml…]')

async function document(path) {
  if (!/^https?:/.test(source))
    return JSON.parse(readFileSync(join(source, `${path.replaceAll('/', '__')}_openapi.json`)))
  const answer = await fetch(`${source}/openapi/v3/${path}`, { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.json()
}

const short = (name) => name.replace(/^io\.k8s\.(api|apimachinery\.pkg(\.apis|\.api|\.util)?)\./, '')
const refOf = (schema) => schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0].$ref : undefined)
const given = (entries) => Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))
/** Go writes the zero value of a required field as its default; that is no default of the API. */
const realDefault = (value) => (value === '' || value === 0 || typeof value === 'object' ? undefined : value)

const isIntOrString = (schema) => schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string'
const mapValues = ({ additionalProperties: values }) => (typeof values === 'object' ? values : undefined)

function compact(schema, refs) {
  const ref = refOf(schema)
  if (ref) {
    const name = ref.split('/').at(-1)
    refs.add(name)
    return given({ ref: short(name), patchStrategy: schema['x-kubernetes-patch-strategy'] })
  }
  if (isIntOrString(schema)) return { type: 'int-or-string' }
  const properties =
    schema.properties && Object.fromEntries(Object.entries(schema.properties).map(([k, v]) => [k, compact(v, refs)]))
  const mapOf = mapValues(schema)
  return given({
    type: schema.oneOf ? 'quantity' : schema.type,
    format: schema.format,
    enum: schema.enum,
    pattern: schema.pattern,
    minimum: schema.minimum,
    maximum: schema.maximum,
    minItems: schema.minItems,
    default: realDefault(schema.default),
    required: schema.required?.length ? schema.required : undefined,
    properties,
    values: mapOf && compact(mapOf, refs),
    items: schema.items && compact(schema.items, refs),
    mergeKey: schema['x-kubernetes-patch-merge-key'],
    patchStrategy: schema['x-kubernetes-patch-strategy'],
    listType: schema['x-kubernetes-list-type'],
    listKeys: schema['x-kubernetes-list-map-keys'],
  })
}

function close(names, schemas) {
  const definitions = {}
  const open = [...names]
  while (open.length) {
    const name = open.pop()
    if (definitions[short(name)]) continue
    const refs = new Set()
    if (!schemas[name]) throw new Error(`no schema ${name}`)
    definitions[short(name)] = compact(schemas[name], refs)
    open.push(...refs)
  }
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Go packages name a definition `…group.version.Kind`; a custom resource's is `org.chaos-mesh.version.Kind`. */
function rootOf(schemas, kind, path) {
  const name = Object.keys(schemas).find((n) => n.endsWith(`.${path.split('/').at(-1)}.${kind}`))
  if (!name) throw new Error(`no ${kind} in ${path}`)
  return name
}

async function collect(wanted) {
  const schemas = {}
  const kinds = {}
  for (const [path, names] of Object.entries(wanted)) {
    const found = (await document(path)).components.schemas
    Object.assign(schemas, found)
    for (const kind of names) kinds[`${path.replace(/^apis?\//, '')}/${kind}`] = rootOf(found, kind, path)
  }
  return { schemas, kinds }
}

/** A definition of a custom resource as the API server publishes it: with the standard metadata. */
function fromCrd(file) {
  const { spec } = parse(readFileSync(file, 'utf8'))
  const { name: version, schema } = spec.versions[0]
  const { properties } = schema.openAPIV3Schema
  properties.metadata = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }
  const name = `org.chaos-mesh.${version}.${spec.names.kind}`
  return { name, key: `${spec.group}/${version}/${spec.names.kind}`, schema: schema.openAPIV3Schema }
}

function customOf(kubernetes) {
  const made = crdFiles.map(fromCrd)
  return {
    schemas: { ...kubernetes.schemas, ...Object.fromEntries(made.map((m) => [m.name, m.schema])) },
    kinds: Object.fromEntries(made.map((m) => [m.key, m.name])),
  }
}

const kubernetes = await collect(KUBERNETES)
const custom = crdFiles.length ? customOf(kubernetes) : await collect(CUSTOM)
const definitions = close([...Object.values(kubernetes.kinds), ...Object.values(custom.kinds), ...ALSO], {
  ...kubernetes.schemas,
  ...custom.schemas,
})
const kinds = Object.fromEntries(
  Object.entries({ ...kubernetes.kinds, ...custom.kinds }).map(([key, name]) => [key, short(name)]),
)
const lines = Object.entries(definitions).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`)
await writeFile(
  join(target, 'schemas.json'),
  `{"kinds":${JSON.stringify(kinds)},\n"definitions":{\n${lines.join(',\n')}\n}}\n`,
)
