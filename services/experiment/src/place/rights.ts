import { CHAOS_API, CHAOS_KINDS } from '@ordeal/kubernetes'

/**
 * What an account may do to one resource, and no more. `deploy/k8s` is written from these tables, preflight asks for
 * them, and a spec on a real cluster shows that a cycle uses every one of them.
 */
export interface Right {
  readonly apiVersion: string
  readonly kind: string
  /** Plural, as it stands in rules. */
  readonly resource: string
  readonly subresource?: string
  readonly verbs: readonly string[]
}

const right = (apiVersion: string, kind: string, resource: string, verbs: readonly string[]): Right => ({
  apiVersion,
  kind,
  resource,
  verbs,
})

/** To put there, find again, wait for the end of, change, remove; to list for a clean-up that leaves nothing. */
export const ALL = ['create', 'get', 'list', 'watch', 'patch', 'delete']
/** Of what cannot be changed once it is there. */
const ANEW = ALL.filter((verb) => verb !== 'patch')
const ADOPT = ['create', 'get', 'list', 'delete']
const RBAC = 'rbac.authorization.k8s.io/v1'

/** Within a namespace that holds an application: faults first, as a clean-up wants them. */
export const SANDBOX_RIGHTS: readonly Right[] = [
  ...CHAOS_KINDS.map((kind) => right(CHAOS_API, kind, kind.toLowerCase(), ALL)),
  right('apps/v1', 'Deployment', 'deployments', ALL),
  right('apps/v1', 'StatefulSet', 'statefulsets', ALL),
  right('apps/v1', 'DaemonSet', 'daemonsets', ALL),
  right('apps/v1', 'ReplicaSet', 'replicasets', ALL),
  right('batch/v1', 'CronJob', 'cronjobs', ALL),
  right('batch/v1', 'Job', 'jobs', ANEW),
  right('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', ALL),
  right('v1', 'Pod', 'pods', ANEW),
  right('v1', 'Service', 'services', ALL),
  right('v1', 'ConfigMap', 'configmaps', ALL),
  right('v1', 'Secret', 'secrets', ALL),
  right('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', ALL),
  right('v1', 'ServiceAccount', 'serviceaccounts', ALL),
  right('v1', 'ResourceQuota', 'resourcequotas', ALL),
  right('v1', 'LimitRange', 'limitranges', ALL),
  right('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', ALL),
  right('networking.k8s.io/v1', 'Ingress', 'ingresses', ALL),
  right('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', ALL),
  // The prober's and the application's own. Kubernetes lets nobody grant what he does not have.
  right(RBAC, 'RoleBinding', 'rolebindings', ALL),
  right(RBAC, 'Role', 'roles', ALL),
]

/** What is only looked at there: last words, and what the cluster says of objects. */
export const SANDBOX_LOOKS: readonly Right[] = [
  { ...right('v1', 'Pod', 'pods', ['get']), subresource: 'log' },
  right('v1', 'Event', 'events', ['list']),
  // What pods use, where the cluster tells; the prober is given it.
  right('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods', ['list']),
  // What pods use shows that a StressChaos is at work; without it, only what else shows.
  right('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods', ['list']),
]

/** Within a prober's namespace: its pod, a stub for negative controls, its account. */
export const PROBER_RIGHTS: readonly Right[] = [
  right('v1', 'Pod', 'pods', ANEW),
  right('v1', 'Service', 'services', ADOPT),
  right('v1', 'ServiceAccount', 'serviceaccounts', ADOPT),
]
export const PROBER_LOOKS: readonly Right[] = [{ ...right('v1', 'Pod', 'pods', ['get']), subresource: 'log' }]

/** Within the account's home: the pool of namespaces, which somebody else has made. */
export const HOME_RIGHTS: readonly Right[] = [
  right('coordination.k8s.io/v1', 'Lease', 'leases', ['get', 'list', 'patch']),
]

/** In the whole cluster, to read: whether a node would take a pod. */
export const CLUSTER_RIGHTS: readonly Right[] = [right('v1', 'Node', 'nodes', ['list'])]

/** Within the namespace of Chaos Mesh, to read: its version. */
export const CHAOS_RIGHTS: readonly Right[] = [right('apps/v1', 'Deployment', 'deployments', ['list'])]
