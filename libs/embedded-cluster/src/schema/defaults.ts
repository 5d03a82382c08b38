import { definition, definitionName, isRecord, resolve, type Schema } from './schemas.js'
import { qosClass } from './qos.js'

type Fields = Record<string, unknown>
/** A value, or how to find it from the object's other fields (undefined: no default). */
type Default = string | number | boolean | readonly unknown[] | Fields | ((object: Fields) => unknown)

const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }

/**
 * What the API server fills in, by definition; read off a real 1.34 server. Order matters where a default looks at
 * another field.
 */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, Default>>>> = {
  'core.v1.PodSpec': {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    securityContext: {},
    serviceAccount: (spec) => spec.serviceAccountName,
  },
  'core.v1.Container': {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: (container) => (isLatest(container.image) ? 'Always' : 'IfNotPresent'),
  },
  'core.v1.ContainerPort': { protocol: 'TCP' },
  'core.v1.Probe': probe,
  'core.v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'core.v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'core.v1.ConfigMapVolumeSource': { defaultMode: 0o644 },
  'core.v1.SecretVolumeSource': { defaultMode: 0o644 },
  'core.v1.Secret': { type: 'Opaque' },
  'core.v1.NamespaceStatus': { phase: 'Active' },
  'core.v1.ServiceSpec': {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    externalTrafficPolicy: (spec) => (isExternal(spec) ? 'Cluster' : undefined),
    allocateLoadBalancerNodePorts: (spec) => (spec.type === 'LoadBalancer' ? true : undefined),
  },
  'core.v1.ServicePort': { protocol: 'TCP', targetPort: (port) => port.port },
  'apps.v1.DeploymentSpec': {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    strategy: {},
  },
  'apps.v1.DeploymentStrategy': {
    type: 'RollingUpdate',
    rollingUpdate: (strategy) => (strategy.type === 'RollingUpdate' ? {} : undefined),
  },
  'apps.v1.RollingUpdateDeployment': { maxUnavailable: '25%', maxSurge: '25%' },
  'apps.v1.ReplicaSetSpec': { replicas: 1 },
  'apps.v1.StatefulSetSpec': {
    podManagementPolicy: 'OrderedReady',
    updateStrategy: {},
    persistentVolumeClaimRetentionPolicy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
  },
  'apps.v1.StatefulSetUpdateStrategy': {
    type: 'RollingUpdate',
    rollingUpdate: (strategy) => (strategy.type === 'RollingUpdate' ? {} : undefined),
  },
  'apps.v1.RollingUpdateStatefulSetStrategy': { partition: 0 },
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': { whenDeleted: 'Retain', whenScaled: 'Retain' },
  'apps.v1.DaemonSetSpec': { updateStrategy: {}, revisionHistoryLimit: 10 },
  'apps.v1.DaemonSetUpdateStrategy': {
    type: 'RollingUpdate',
    rollingUpdate: (strategy) => (strategy.type === 'RollingUpdate' ? {} : undefined),
  },
  'apps.v1.RollingUpdateDaemonSet': { maxUnavailable: 1, maxSurge: 0 },
  'batch.v1.JobSpec': {
    completions: (spec) => (spec.parallelism === undefined ? 1 : undefined),
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    manualSelector: false,
  },
  'batch.v1.CronJobSpec': {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
  'core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'core.v1.PersistentVolumeClaim': {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    status: { phase: 'Pending' },
  },
  'core.v1.PersistentVolumeSpec': { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
  'core.v1.PersistentVolume': { status: { phase: 'Pending' } },
  'core.v1.HostPathVolumeSource': { type: () => '' },
  'core.v1.ProjectedVolumeSource': { defaultMode: 0o644 },
  'core.v1.LimitRangeItem': { default: limitDefaults, defaultRequest: requestDefaults },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': {
    minReplicas: 1,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  },
  'networking.v1.NetworkPolicy': { spec: { podSelector: {} } },
  'networking.v1.NetworkPolicySpec': {
    policyTypes: (spec) => (Array.isArray(spec.egress) && spec.egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']),
  },
  'networking.v1.NetworkPolicyPort': { protocol: 'TCP' },
  'rbac.v1.RoleRef': { apiGroup: 'rbac.authorization.k8s.io' },
  'rbac.v1.Subject': { apiGroup: subjectGroup },
  'scheduling.v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  'storage.v1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  'core.v1.Service': { spec: {}, status: { loadBalancer: {} } },
  'core.v1.Node': { spec: {}, status: {} },
  'core.v1.NodeStatus': { capacity: {}, allocatable: (status) => status.capacity ?? {}, addresses: [] },
  'policy.v1.PodDisruptionBudget': { spec: {} },
  'discovery.v1.Endpoint': { conditions: {} },
  'discovery.v1.EndpointPort': { name: '', protocol: 'TCP' },
}

/** Only a pod has these, not the template that it came from. */
const POD_DEFAULTS: Readonly<Record<string, Default>> = {
  serviceAccountName: 'default',
  serviceAccount: (spec) => spec.serviceAccountName,
  enableServiceLinks: true,
  priority: 0,
  preemptionPolicy: 'PreemptLowerPriority',
  tolerations: ['not-ready', 'unreachable'].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  })),
}

/**
 * The object with everything filled in that an API server fills in. Call it for objects that controllers make, too:
 * a pod from a template has defaults that the template has not.
 */
export function withDefaults<T extends { apiVersion: string; kind: string }>(object: T): T {
  const name = definitionName(object.apiVersion, object.kind)
  if (name === undefined) return object
  const filled = fill(object, { ref: name }) as T & Fields
  if (name === 'core.v1.Pod') return newPod(filled)
  if (name === 'core.v1.Namespace') return namespaceDefaults(filled)
  if (name.startsWith('org.chaos-mesh')) return faultDefaults(filled)
  return filled
}

function fill(value: unknown, node: Schema): unknown {
  const schema = resolve(node)
  if (schema.type === 'array') return fillList(value, schema)
  if (!isRecord(value)) return value
  const filled = withOwnDefaults(value, node, schema)
  const { properties, values } = schema
  for (const [field, part] of Object.entries(filled)) {
    const inner = properties?.[field] ?? values
    if (inner && typeof part === 'object') filled[field] = fill(part, inner)
  }
  return filled
}

function fillList(value: unknown, schema: Schema): unknown {
  const { items } = schema
  return Array.isArray(value) && items ? value.map((item) => fill(item, items)) : value
}

function withOwnDefaults(value: Fields, node: Schema, schema: Schema): Fields {
  const filled = { ...value }
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && property.default !== false) apply(filled, field, property.default)
  }
  for (const [field, fallback] of Object.entries(DEFAULTS[node.ref ?? ''] ?? {})) apply(filled, field, fallback)
  return filled
}

/** Fields whose zero means "not given", as in Go where they are no pointers. */
const ZERO_IS_UNSET = new Set([...Object.keys(probe), 'targetPort'])

function apply(object: Fields, field: string, fallback: Default): void {
  const given = object[field]
  const unset = given === undefined || given === '' || (given === 0 && ZERO_IS_UNSET.has(field))
  if (!unset) return
  const value = typeof fallback === 'function' ? fallback(object) : structuredClone(fallback)
  if (value !== undefined) object[field] = value
}

function newPod<T extends Fields>(object: T): T {
  const spec = podDefaults(isRecord(object.spec) ? object.spec : {})
  return { ...object, spec, status: object.status ?? { phase: 'Pending', qosClass: qosClass(spec) } }
}

function podDefaults(spec: Fields): Fields {
  const filled = { ...spec }
  for (const [field, fallback] of Object.entries(POD_DEFAULTS)) apply(filled, field, fallback)
  for (const field of ['initContainers', 'containers']) {
    const containers = filled[field]
    if (Array.isArray(containers)) filled[field] = containers.map(requestsFromLimits)
  }
  filled.containers ??= []
  return filled
}

/** A limit without a request is the request, too. */
function requestsFromLimits(container: unknown): unknown {
  if (!isRecord(container)) return container
  const { resources } = container
  if (!isRecord(resources) || !isRecord(resources.limits)) return container
  const requests = { ...resources.limits, ...(isRecord(resources.requests) ? resources.requests : {}) }
  return { ...container, resources: { ...resources, requests } }
}

function namespaceDefaults<T extends Fields>(object: T): T {
  const metadata = isRecord(object.metadata) ? object.metadata : {}
  const labels = isRecord(metadata.labels) ? metadata.labels : {}
  const { name } = metadata
  const named = typeof name === 'string' ? { 'kubernetes.io/metadata.name': name } : {}
  return {
    ...object,
    metadata: { ...metadata, labels: { ...labels, ...named } },
    spec: { finalizers: ['kubernetes'], ...(isRecord(object.spec) ? object.spec : {}) },
    status: { phase: 'Active', ...(isRecord(object.status) ? object.status : {}) },
  }
}

/** What Chaos Mesh's webhook fills in: without namespaces a selector means the fault's own. */
function faultDefaults<T extends Fields>(object: T): T {
  const { namespace } = object.metadata as { namespace?: string }
  const spec = { ...(object.spec as Fields) }
  for (const [field, defaults] of Object.entries(FAULT_PARAMETERS)) {
    if (isRecord(spec[field])) spec[field] = { ...defaults, ...spec[field] }
  }
  if (isRecord(spec.target)) spec.target = { ...spec.target, selector: withNamespace(spec.target.selector, namespace) }
  return { ...object, spec: { ...spec, selector: withNamespace(spec.selector, namespace) } }
}

const FAULT_PARAMETERS: Readonly<Record<string, Fields>> = {
  delay: { jitter: '0ms', correlation: '0' },
  loss: { correlation: '0' },
}

function withNamespace(selector: unknown, namespace: string | undefined): unknown {
  if (!isRecord(selector) || (Array.isArray(selector.namespaces) && selector.namespaces.length > 0)) return selector
  return { ...selector, namespaces: [namespace] }
}

/** A container's limit that is not said is its maximum; its request, the limit. */
function limitDefaults({ type, max }: Fields): unknown {
  return type === 'Container' ? (max ?? {}) : undefined
}

function requestDefaults({ type, default: limits, min }: Fields): unknown {
  return type === 'Container' ? { ...(min as object | undefined), ...(limits as object | undefined) } : undefined
}

function subjectGroup({ kind }: Fields): string | undefined {
  return kind === 'User' || kind === 'Group' ? 'rbac.authorization.k8s.io' : undefined
}

/** No tag, or the tag `latest`; a digest pins the image. */
function isLatest(image: unknown): boolean {
  if (typeof image !== 'string' || image.includes('@')) return false
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest'
}

function isExternal(spec: Fields): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer'
}

/** The definition's schema of a kind; for those who walk objects of their own. */
export function schemaOf(apiVersion: string, kind: string): Schema | undefined {
  const name = definitionName(apiVersion, kind)
  return name === undefined ? undefined : definition(name)
}
