/** What the API server offers for one kind. */
export interface ResourceDefinition {
  /** Name of its collection in the store: the plural, with the group where there is one. */
  readonly key: ResourceKey
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly subresources: readonly Subresource[]
  /** Objects carry `metadata.generation`, which counts changes of their spec. */
  readonly hasGeneration: boolean
  /** Can be read only: the cluster itself keeps the objects. */
  readonly readOnly: boolean
}

export type Subresource = 'status' | 'scale' | 'log' | 'eviction' | 'binding' | 'exec'

export type ResourceKey =
  | 'namespaces'
  | 'nodes'
  | 'pods'
  | 'services'
  | 'configmaps'
  | 'secrets'
  | 'events'
  | 'replicasets.apps'
  | 'deployments.apps'
  | 'endpointslices.discovery.k8s.io'
  | 'poddisruptionbudgets.policy'
  | 'podchaos.chaos-mesh.org'
  | 'networkchaos.chaos-mesh.org'
  | 'customresourcedefinitions.apiextensions.k8s.io'

/** `group/version kind` per collection, then what differs from the usual. */
function define(
  key: ResourceKey,
  version: string,
  kind: string,
  more: Partial<Omit<ResourceDefinition, 'key' | 'version' | 'kind'>> = {},
): ResourceDefinition {
  const dot = key.indexOf('.')
  return {
    key,
    group: dot < 0 ? '' : key.slice(dot + 1),
    version,
    plural: dot < 0 ? key : key.slice(0, dot),
    singular: kind.toLowerCase(),
    kind,
    namespaced: true,
    shortNames: [],
    categories: [],
    subresources: [],
    hasGeneration: false,
    readOnly: false,
    ...more,
  }
}

/** Every kind of the embedded cluster, in the order in which discovery lists them. */
export const RESOURCES: readonly ResourceDefinition[] = [
  define('configmaps', 'v1', 'ConfigMap', { shortNames: ['cm'] }),
  define('events', 'v1', 'Event', { shortNames: ['ev'] }),
  define('namespaces', 'v1', 'Namespace', { namespaced: false, shortNames: ['ns'], subresources: ['status'] }),
  define('nodes', 'v1', 'Node', { namespaced: false, shortNames: ['no'], subresources: ['status'] }),
  define('pods', 'v1', 'Pod', {
    shortNames: ['po'],
    categories: ['all'],
    subresources: ['status', 'log'],
    hasGeneration: true,
  }),
  define('secrets', 'v1', 'Secret'),
  define('services', 'v1', 'Service', { shortNames: ['svc'], categories: ['all'], subresources: ['status'] }),
  define('deployments.apps', 'v1', 'Deployment', {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: ['status', 'scale'],
    hasGeneration: true,
  }),
  define('replicasets.apps', 'v1', 'ReplicaSet', {
    shortNames: ['rs'],
    categories: ['all'],
    subresources: ['status', 'scale'],
    hasGeneration: true,
  }),
  define('endpointslices.discovery.k8s.io', 'v1', 'EndpointSlice', { hasGeneration: true }),
  define('poddisruptionbudgets.policy', 'v1', 'PodDisruptionBudget', {
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  define('podchaos.chaos-mesh.org', 'v1alpha1', 'PodChaos', { hasGeneration: true }),
  define('networkchaos.chaos-mesh.org', 'v1alpha1', 'NetworkChaos', { hasGeneration: true }),
  define('customresourcedefinitions.apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', {
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    hasGeneration: true,
    readOnly: true,
  }),
]

/**
 * The newer API of events: the same objects under other names, for reading. It shares the key of the older one, whose
 * definition is the one that counts for the store.
 */
export const EVENTS_VIEW: ResourceDefinition = {
  ...define('events', 'v1', 'Event', { shortNames: ['ev'], readOnly: true }),
  group: 'events.k8s.io',
}

const byKey = new Map(RESOURCES.map((definition) => [definition.key, definition]))
const byKind = new Map(RESOURCES.map((definition) => [`${apiVersionOf(definition)}/${definition.kind}`, definition]))

/** The definition of a collection. */
export function definitionOf(key: ResourceKey): ResourceDefinition {
  const definition = byKey.get(key)
  if (!definition) throw new Error(`no resource ${key}`)
  return definition
}

/** The definition of a kind, or undefined when the embedded cluster has none. */
export function definitionOfKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
  return byKind.get(`${apiVersion}/${kind}`)
}

/** `v1`, `apps/v1`. */
export function apiVersionOf(definition: { group: string; version: string }): string {
  return definition.group ? `${definition.group}/${definition.version}` : definition.version
}
