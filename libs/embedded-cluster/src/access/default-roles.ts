import { AUTHENTICATED, MASTERS } from './identity.js'
import { type PolicyRule } from './rules.js'

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']

const on = (verbs: readonly string[], group: string, ...resources: string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
})

const SETS = ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale']
const APPS = [...SETS, 'statefulsets', 'statefulsets/scale']

const view: readonly PolicyRule[] = [
  on(READ, '', 'configmaps', 'persistentvolumeclaims', 'pods', 'serviceaccounts', 'services'),
  on(READ, '', 'events', 'limitranges', 'namespaces', 'pods/log', 'pods/status', 'resourcequotas'),
  on(READ, 'apps', 'controllerrevisions', ...APPS),
  on(READ, 'autoscaling', 'horizontalpodautoscalers'),
  on(READ, 'batch', 'cronjobs', 'jobs'),
  on(READ, 'discovery.k8s.io', 'endpointslices'),
  on(READ, 'networking.k8s.io', 'ingresses', 'networkpolicies'),
  on(READ, 'policy', 'poddisruptionbudgets'),
  on(READ, 'metrics.k8s.io', 'nodes', 'pods'),
]
const edit: readonly PolicyRule[] = [
  ...view,
  on(READ, '', 'secrets'),
  on(WRITE, '', 'configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'),
  on(['create'], '', 'pods/eviction'),
  on(WRITE, 'apps', ...APPS),
  on(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
  on(WRITE, 'batch', 'cronjobs', 'jobs'),
  on(WRITE, 'networking.k8s.io', 'ingresses', 'networkpolicies'),
  on(WRITE, 'policy', 'poddisruptionbudgets'),
]
const admin: readonly PolicyRule[] = [
  ...edit,
  on([...READ, ...WRITE], 'rbac.authorization.k8s.io', 'rolebindings', 'roles'),
]
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/**
 * ClusterRoles that every cluster has, as far as the kinds of this one go. They are known to who asks what is allowed and
 * not stored: nothing would be won by a list of them, and every object takes a name from the random streams.
 */
export const DEFAULT_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': everything,
  admin,
  edit,
  view,
}

const DISCOVERY = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/readyz', '/openapi', '/openapi/*']

/** What default ClusterRoleBindings allow to groups. */
export const DEFAULT_BINDINGS: readonly { role: string; group: string; rules: readonly PolicyRule[] }[] = [
  { role: 'cluster-admin', group: MASTERS, rules: everything },
  {
    role: 'system:discovery',
    group: AUTHENTICATED,
    rules: [{ verbs: ['get'], nonResourceURLs: [...DISCOVERY, '/version', '/version/'] }],
  },
  {
    role: 'system:basic-user',
    group: AUTHENTICATED,
    rules: [
      on(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
      on(['create'], 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
]
