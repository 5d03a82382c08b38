import { type LabelSelector, matchesSelector } from '../schema/selectors.js'
import { type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { type Attempt } from './attempt.js'
import { DEFAULT_BINDINGS, DEFAULT_ROLES } from './default-roles.js'
import { accountName, type Identity } from './identity.js'
import { ruleAllows, type PolicyRule } from './rules.js'

interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}
interface Binding extends StoredObject {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly Subject[]
}
interface Role extends StoredObject {
  readonly rules?: readonly PolicyRule[]
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] }
}

/** Rules that somebody has, by what. `problem`: a role that is bound and is not there. */
export interface Grant {
  readonly by: string
  readonly rules: readonly PolicyRule[]
  readonly problem: string | null
}

export interface Decision {
  readonly allowed: boolean
  readonly reason: string
  /** What kept rules from being read; the rest decides. */
  readonly problems: readonly string[]
}

/** Whether RBAC allows the attempt, by the roles and bindings that the cluster holds. */
export function authorize(store: ObjectStore, identity: Identity, attempt: Attempt): Decision {
  const grants = grantsOf(store, identity, attempt.namespace)
  const grant = grants.find(({ rules }) => rules.some((rule) => ruleAllows(rule, attempt)))
  const problems = grants.flatMap(({ problem }) => problem ?? [])
  return { allowed: grant !== undefined, reason: grant ? `RBAC: allowed by ${grant.by}` : '', problems }
}

/** What somebody is granted in the whole cluster, and in a namespace if one is named. */
export function grantsOf(store: ObjectStore, identity: Identity, namespace: string | undefined): Grant[] {
  const inCluster = store
    .list<Binding>('clusterrolebindings.rbac.authorization.k8s.io')
    .flatMap((binding) => grantBy(store, binding, identity))
  const inNamespace = namespace
    ? store
        .list<Binding>('rolebindings.rbac.authorization.k8s.io', namespace)
        .flatMap((binding) => grantBy(store, binding, identity))
    : []
  return [...byDefault(identity), ...inCluster, ...inNamespace]
}

const byDefault = ({ groups }: Identity): Grant[] =>
  DEFAULT_BINDINGS.filter(({ group }) => groups.includes(group)).map(({ role, group, rules }) => ({
    by: `ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "${group}"`,
    rules,
    problem: null,
  }))

function grantBy(store: ObjectStore, binding: Binding, identity: Identity): Grant[] {
  const { namespace, name } = binding.metadata
  const subject = binding.subjects?.find((one) => isMeant(one, identity, namespace))
  if (!subject) return []
  const { kind, name: role } = binding.roleRef
  const rules = kind === 'Role' ? roleRules(store, namespace ?? '', role) : clusterRoleRules(store, role)
  const plural = kind === 'Role' ? 'roles' : 'clusterroles'
  const bound = namespace === undefined ? name : `${name}/${namespace}`
  return [
    {
      by: `${binding.kind} "${bound}" of ${kind} "${role}" to ${described(subject, namespace)}`,
      rules: rules ?? [],
      problem: rules ? null : `${plural}.rbac.authorization.k8s.io "${role}" not found`,
    },
  ]
}

function isMeant(subject: Subject, { user, groups }: Identity, bound: string | undefined): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user
    case 'Group':
      return groups.includes(subject.name)
    case 'ServiceAccount':
      return accountName(subject.namespace ?? bound ?? '', subject.name) === user
    default:
      return false
  }
}

function described({ kind, name, namespace }: Subject, bound: string | undefined): string {
  return kind === 'ServiceAccount' ? `ServiceAccount "${name}/${namespace ?? bound ?? ''}"` : `${kind} "${name}"`
}

const roleRules = (store: ObjectStore, namespace: string, name: string): readonly PolicyRule[] | undefined => {
  const role = store.get<Role>('roles.rbac.authorization.k8s.io', namespace, name)
  return role && (role.rules ?? [])
}

/** An aggregated role has the rules of those that it selects, and no others; default roles gather by labels, too. */
function clusterRoleRules(store: ObjectStore, name: string): readonly PolicyRule[] | undefined {
  const role = store.get<Role>('clusterroles.rbac.authorization.k8s.io', null, name)
  if (role)
    return role.aggregationRule ? gathered(store, role.aggregationRule.clusterRoleSelectors) : (role.rules ?? [])
  const rules = Object.hasOwn(DEFAULT_ROLES, name) ? DEFAULT_ROLES[name] : undefined
  return rules && [...rules, ...gathered(store, selectorsFor(name))]
}

const gathered = (store: ObjectStore, selectors: readonly LabelSelector[] = []): PolicyRule[] =>
  store
    .list<Role>('clusterroles.rbac.authorization.k8s.io')
    .filter(({ metadata }) => selectors.some((selector) => matchesSelector(selector, metadata.labels)))
    .flatMap(({ rules = [] }) => rules)

/** What is gathered into `view` is in `edit` and `admin`, too. */
function selectorsFor(role: string): LabelSelector[] {
  const order = ['view', 'edit', 'admin']
  return order
    .slice(0, order.indexOf(role) + 1)
    .map((name) => ({ matchLabels: { [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' } }))
}
