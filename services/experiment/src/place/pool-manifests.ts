import { type ClusterObject } from '@ordeal/kubernetes'
import { POOL_LABEL } from './pool.js'
import {
  ALL,
  CHAOS_RIGHTS,
  CLUSTER_RIGHTS,
  HOME_RIGHTS,
  PROBER_LOOKS,
  PROBER_RIGHTS,
  SANDBOX_LOOKS,
  SANDBOX_RIGHTS,
  type Right,
} from './rights.js'

/** A tenant on a cluster that others use too. */
export interface PoolOf {
  readonly tenant: string
  /** How many cycles at once. */
  readonly namespaces: number
  /** Custom resources of its applications, as `resource.group` (`servicemonitors.monitoring.coreos.com`). */
  readonly custom: readonly string[]
  /** Where Chaos Mesh is installed. */
  readonly chaosNamespace: string
}

const RBAC = 'rbac.authorization.k8s.io/v1'
const RBAC_GROUP = 'rbac.authorization.k8s.io'
const ACCOUNT = 'ordeal'

/** The rights, each table a ClusterRole that is bound in single namespaces, and one that is read-only. */
const ROLES: Record<string, readonly Right[]> = {
  'ordeal-pool-home': HOME_RIGHTS,
  'ordeal-pool-sandbox': [...SANDBOX_RIGHTS, ...SANDBOX_LOOKS],
  'ordeal-pool-prober': [...PROBER_RIGHTS, ...PROBER_LOOKS],
  'ordeal-pool-chaos-version': CHAOS_RIGHTS,
  'ordeal-pool-cluster-reader': CLUSTER_RIGHTS,
}

/** What every tenant's rights refer to. */
export const poolRoles = (): ClusterObject[] =>
  Object.entries(ROLES).map(([name, rights]) => ({
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name },
    rules: rulesOf(rights),
  }))

/** One rule for what has the same verbs in the same API group, in the order of the table. */
function rulesOf(rights: readonly Right[]): Record<string, string[]>[] {
  const alike = Map.groupBy(rights, ({ apiVersion, verbs }) => `${groupOf(apiVersion)} ${verbs.join()}`)
  return [...alike.values()].map((same) => ({
    apiGroups: [groupOf(same[0]?.apiVersion ?? '')],
    resources: same.map(({ resource, subresource }) => [resource, subresource].filter(Boolean).join('/')),
    verbs: [...(same[0]?.verbs ?? [])],
  }))
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '')

/** Privileged pods and such would reach out of a namespace. */
const podSecurity = (level: string): Record<string, string> => ({ 'pod-security.kubernetes.io/enforce': level })

/**
 * A tenant's home, account and pool of namespaces, with exactly the rights that cycles use. To be applied by an
 * administrator; what has been applied and is needed no more goes with its namespaces.
 */
export function poolOf({ tenant, namespaces, custom, chaosNamespace }: PoolOf): ClusterObject[] {
  const home = `ordeal-home-${tenant}`
  const pairs = Array.from({ length: namespaces }, (_, index) => `ordeal-pool-${tenant}-${index + 1}`)
  const binding = (namespace: string, role: string): ClusterObject => bindingOf(home, role, namespace)
  return [
    space(home, 'home', podSecurity('restricted')),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: home, labels: own('home') } },
    binding(home, 'ordeal-pool-home'),
    bindingOf(home, 'ordeal-pool-cluster-reader'),
    { ...binding(chaosNamespace, 'ordeal-pool-chaos-version') },
    ...pairs.flatMap((name) => [
      lease(home, name),
      space(name, 'sandbox', podSecurity('baseline'), { 'chaos-mesh.org/inject': 'enabled' }),
      binding(name, 'ordeal-pool-sandbox'),
      ...(custom.length ? customRights(home, name, custom) : []),
      space(`${name}-prober`, 'prober', podSecurity('restricted')),
      binding(`${name}-prober`, 'ordeal-pool-prober'),
    ]),
  ]
}

const own = (what: string): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'ordeal',
  [POOL_LABEL]: what,
})

const space = (
  name: string,
  what: string,
  labels: Record<string, string>,
  annotations?: Record<string, string>,
): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { ...own(what), ...labels }, ...(annotations && { annotations }) },
})

/** What `place/pool.ts` takes for the pair of namespaces. */
const lease = (home: string, name: string): ClusterObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: home, labels: own('namespace') },
})

/** Of the account, in a namespace or (without) in the whole cluster. */
function bindingOf(home: string, role: string, namespace?: string): ClusterObject {
  // In a namespace that is not the tenant's alone, others are bound too.
  const name = `${role}-of-${home}`
  return {
    apiVersion: RBAC,
    kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata: { name, ...(namespace && { namespace }), labels: own('rights') },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: home }],
  }
}

function customRights(home: string, namespace: string, custom: readonly string[]): ClusterObject[] {
  const groups = Map.groupBy(custom, (name) => name.split('.').slice(1).join('.'))
  const rules = [...groups].map(([group, names]) => ({
    apiGroups: [group],
    resources: names.map((name) => name.split('.')[0] ?? ''),
    verbs: ALL,
  }))
  const name = 'ordeal-pool-custom'
  return [
    { apiVersion: RBAC, kind: 'Role', metadata: { name, namespace, labels: own('rights') }, rules },
    {
      ...bindingOf(home, name, namespace),
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name },
    },
  ]
}
