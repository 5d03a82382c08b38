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
  /** Where only these can be asked for, and nothing is stored. */
  readonly verbs?: readonly string[]
  /** Can be read only: the cluster itself keeps the objects. */
  readonly readOnly: boolean
  /** Brought by a CustomResourceDefinition: kept as it is. */
  readonly custom?: boolean
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
  | 'persistentvolumes'
  | 'persistentvolumeclaims'
  | 'serviceaccounts'
  | 'limitranges'
  | 'resourcequotas'
  | 'controllerrevisions.apps'
  | 'daemonsets.apps'
  | 'replicasets.apps'
  | 'deployments.apps'
  | 'statefulsets.apps'
  | 'horizontalpodautoscalers.autoscaling'
  | 'cronjobs.batch'
  | 'jobs.batch'
  | 'ingresses.networking.k8s.io'
  | 'ingressclasses.networking.k8s.io'
  | 'networkpolicies.networking.k8s.io'
  | 'clusterroles.rbac.authorization.k8s.io'
  | 'clusterrolebindings.rbac.authorization.k8s.io'
  | 'roles.rbac.authorization.k8s.io'
  | 'rolebindings.rbac.authorization.k8s.io'
  | 'priorityclasses.scheduling.k8s.io'
  | 'storageclasses.storage.k8s.io'
  | 'endpointslices.discovery.k8s.io'
  | 'poddisruptionbudgets.policy'
  | 'podchaos.chaos-mesh.org'
  | 'networkchaos.chaos-mesh.org'
  | 'stresschaos.chaos-mesh.org'
  | 'dnschaos.chaos-mesh.org'
  | 'httpchaos.chaos-mesh.org'
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

const CLUSTER_WIDE = { namespaced: false }
const WORKLOAD = { categories: ['all'], hasGeneration: true }

/** Every kind of the embedded cluster, in the order in which discovery lists them. */
export const RESOURCES: readonly ResourceDefinition[] = [
  define('configmaps', 'v1', 'ConfigMap', { shortNames: ['cm'] }),
  define('events', 'v1', 'Event', { shortNames: ['ev'] }),
  define('limitranges', 'v1', 'LimitRange', { shortNames: ['limits'] }),
  define('namespaces', 'v1', 'Namespace', { namespaced: false, shortNames: ['ns'], subresources: ['status'] }),
  define('nodes', 'v1', 'Node', { namespaced: false, shortNames: ['no'], subresources: ['status'] }),
  define('persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', { shortNames: ['pvc'], subresources: ['status'] }),
  define('persistentvolumes', 'v1', 'PersistentVolume', {
    ...CLUSTER_WIDE,
    shortNames: ['pv'],
    subresources: ['status'],
  }),
  define('pods', 'v1', 'Pod', { ...WORKLOAD, shortNames: ['po'], subresources: ['status', 'log', 'eviction'] }),
  define('resourcequotas', 'v1', 'ResourceQuota', { shortNames: ['quota'], subresources: ['status'] }),
  define('secrets', 'v1', 'Secret'),
  define('serviceaccounts', 'v1', 'ServiceAccount', { shortNames: ['sa'] }),
  define('services', 'v1', 'Service', { shortNames: ['svc'], categories: ['all'], subresources: ['status'] }),
  define('controllerrevisions.apps', 'v1', 'ControllerRevision'),
  define('daemonsets.apps', 'v1', 'DaemonSet', {
    ...WORKLOAD,
    shortNames: ['ds'],
    subresources: ['status'],
  }),
  define('deployments.apps', 'v1', 'Deployment', {
    ...WORKLOAD,
    shortNames: ['deploy'],
    subresources: ['status', 'scale'],
  }),
  define('replicasets.apps', 'v1', 'ReplicaSet', {
    ...WORKLOAD,
    shortNames: ['rs'],
    subresources: ['status', 'scale'],
  }),
  define('statefulsets.apps', 'v1', 'StatefulSet', {
    ...WORKLOAD,
    shortNames: ['sts'],
    subresources: ['status', 'scale'],
  }),
  define('horizontalpodautoscalers.autoscaling', 'v2', 'HorizontalPodAutoscaler', {
    categories: ['all'],
    shortNames: ['hpa'],
    subresources: ['status'],
  }),
  define('cronjobs.batch', 'v1', 'CronJob', {
    ...WORKLOAD,
    shortNames: ['cj'],
    subresources: ['status'],
  }),
  define('jobs.batch', 'v1', 'Job', { ...WORKLOAD, subresources: ['status'] }),
  define('endpointslices.discovery.k8s.io', 'v1', 'EndpointSlice', { hasGeneration: true }),
  define('ingressclasses.networking.k8s.io', 'v1', 'IngressClass', { ...CLUSTER_WIDE, hasGeneration: true }),
  define('ingresses.networking.k8s.io', 'v1', 'Ingress', {
    shortNames: ['ing'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  define('networkpolicies.networking.k8s.io', 'v1', 'NetworkPolicy', { shortNames: ['netpol'], hasGeneration: true }),
  define('poddisruptionbudgets.policy', 'v1', 'PodDisruptionBudget', {
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  define('clusterrolebindings.rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', CLUSTER_WIDE),
  define('clusterroles.rbac.authorization.k8s.io', 'v1', 'ClusterRole', CLUSTER_WIDE),
  define('rolebindings.rbac.authorization.k8s.io', 'v1', 'RoleBinding'),
  define('roles.rbac.authorization.k8s.io', 'v1', 'Role'),
  define('priorityclasses.scheduling.k8s.io', 'v1', 'PriorityClass', {
    ...CLUSTER_WIDE,
    shortNames: ['pc'],
    hasGeneration: true,
  }),
  define('storageclasses.storage.k8s.io', 'v1', 'StorageClass', { ...CLUSTER_WIDE, shortNames: ['sc'] }),
  define('podchaos.chaos-mesh.org', 'v1alpha1', 'PodChaos', { hasGeneration: true }),
  define('networkchaos.chaos-mesh.org', 'v1alpha1', 'NetworkChaos', { hasGeneration: true }),
  define('stresschaos.chaos-mesh.org', 'v1alpha1', 'StressChaos', { hasGeneration: true }),
  define('dnschaos.chaos-mesh.org', 'v1alpha1', 'DNSChaos', { hasGeneration: true }),
  define('httpchaos.chaos-mesh.org', 'v1alpha1', 'HTTPChaos', { hasGeneration: true }),
  define('customresourcedefinitions.apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', {
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    hasGeneration: true,
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

/** Questions that are answered and not stored: they are offered by discovery only. */
export const REVIEWS: readonly ResourceDefinition[] = [
  ...['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'].map((kind) =>
    review('authorization.k8s.io', kind),
  ),
  review('authentication.k8s.io', 'SelfSubjectReview'),
]

function review(group: string, kind: string): ResourceDefinition {
  const singular = kind.toLowerCase()
  return { ...define('events', 'v1', kind, CLUSTER_WIDE), group, singular, plural: `${singular}s`, verbs: ['create'] }
}

/** What is used of CPU and memory, measured and not stored: offered by discovery, and read in a way of its own. */
export const METRICS: readonly ResourceDefinition[] = (['nodes', 'pods'] as const).map((plural) => ({
  ...define('events', 'v1beta1', plural === 'pods' ? 'PodMetrics' : 'NodeMetrics'),
  group: 'metrics.k8s.io',
  plural,
  singular: '',
  namespaced: plural === 'pods',
  verbs: ['get', 'list'],
}))

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
