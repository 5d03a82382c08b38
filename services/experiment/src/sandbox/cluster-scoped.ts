import { objectIdOf, type ClusterObject } from '@ordeal/kubernetes'

/**
 * Objects of the whole cluster that an application may bring. They are seen by everybody there, so they are made only
 * with consent, never over one that is there, and removed with the cycle; what would reach into the work of others is
 * refused whatever the consent.
 */

type Rule = Readonly<Partial<Record<'apiGroups' | 'resources' | 'verbs' | 'nonResourceURLs', readonly string[]>>>
type Judge = (object: ClusterObject, all: readonly ClusterObject[]) => string | null

const READ = new Set(['get', 'list', 'watch'])
const DEFINITION = 'CustomResourceDefinition'
const RBAC = 'rbac.authorization.k8s.io'

const JUDGES: Readonly<Record<string, Judge>> = {
  ClusterRole: judgeRole,
  ClusterRoleBinding: judgeBinding,
  PriorityClass: ({ globalDefault }) =>
    globalDefault === true ? 'it would set the priority of everybody who names none (globalDefault)' : null,
  StorageClass: isDefault('storageclass.kubernetes.io/is-default-class'),
  IngressClass: isDefault('ingressclass.kubernetes.io/is-default-class'),
  PersistentVolume: () => null,
  RuntimeClass: () => null,
}

/** Kinds of which there may be something to remove. */
export const CLUSTER_KINDS: readonly Pick<ClusterObject, 'apiVersion' | 'kind'>[] = [
  { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding' },
  { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole' },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass' },
  { apiVersion: 'v1', kind: 'PersistentVolume' },
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass' },
]

/** Of which it is known without asking a cluster that they are objects of the whole cluster. */
const KNOWN = new Set([
  ...CLUSTER_KINDS.map(({ kind }) => kind),
  DEFINITION,
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'APIService',
  'CSIDriver',
  'Node',
])

/** What of these is an object of the whole cluster, as far as it is known without asking one. */
export const clusterScopedOf = (objects: readonly ClusterObject[]): ClusterObject[] =>
  objects.filter(({ kind }) => KNOWN.has(kind))

/** Why it must not be made, whoever consents; null where it may. */
export function refusalOf(object: ClusterObject, all: readonly ClusterObject[]): string | null {
  const judge = JUDGES[object.kind]
  if (judge) return judge(object, all)
  return 'it concerns everybody in the cluster; have it put there beforehand and leave it out of the input'
}

/** Whether objects of the whole cluster may be made: as one likes where that is the cycle's alone, else by consent. */
export type Widening = 'free' | 'consented' | 'refused'

/** What speaks against making these, one sentence each. */
export function judgeClusterScoped(
  wide: readonly ClusterObject[],
  all: readonly ClusterObject[],
  widening: Widening,
): string[] {
  return wide.flatMap((object) => {
    // Where there is nobody else, only what is no part of an application is refused.
    if (widening === 'free' && (JUDGES[object.kind] || object.kind === DEFINITION)) return []
    const refusal = refusalOf(object, all)
    if (refusal) return [`${objectIdOf(object)}: ${refusal}`]
    const needed = 'it would be made in the whole cluster, which needs consent (--allow-cluster-scoped)'
    return widening === 'consented' ? [] : [`${objectIdOf(object)}: ${needed}`]
  })
}

function judgeRole(role: ClusterObject): string | null {
  if (role.aggregationRule !== undefined) return 'it would gather rights of others (aggregationRule)'
  const labels = Object.keys(role.metadata.labels ?? {})
  if (labels.some((name) => name.includes('/aggregate-to-'))) return 'it would be added to the roles of others'
  for (const rule of (role.rules ?? []) as readonly Rule[]) {
    const wider = (rule.verbs ?? []).filter((verb) => !READ.has(verb))
    if (wider.length) return `it gives rights beyond reading in the whole cluster (${wider.join(', ')})`
    if (reads(rule, 'secrets')) return 'it would read the Secrets of everybody'
  }
  return null
}

const reads = ({ apiGroups = [], resources = [] }: Rule, resource: string): boolean =>
  apiGroups.some((group) => group === '' || group === '*') && resources.some((r) => r === resource || r === '*')

interface Binding {
  readonly roleRef?: { readonly kind?: string; readonly name?: string }
  readonly subjects?: readonly { readonly kind?: string; readonly name?: string }[]
}

function judgeBinding(object: ClusterObject, all: readonly ClusterObject[]): string | null {
  const { roleRef, subjects = [] } = object as Binding
  const foreign = subjects.find((subject) => subject.kind !== 'ServiceAccount')
  if (foreign) return `it gives rights to ${foreign.kind} ${foreign.name}, who is not of the application`
  const role = all.find((o) => o.kind === 'ClusterRole' && o.metadata.name === roleRef?.name)
  if (!role && roleRef?.name !== 'view') return `what ClusterRole/${roleRef?.name} allows is not in the input`
  return role ? judgeRole(role) : null
}

function isDefault(annotation: string): Judge {
  return ({ metadata }) =>
    metadata.annotations?.[annotation] === 'true' ? 'it would become the default of everybody' : null
}

/** A kind of which there will be objects once its definition is there. */
export interface DefinedKind {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
}

/** The kinds that definitions among these objects bring. */
export const definedKinds = (objects: readonly ClusterObject[]): DefinedKind[] =>
  objects
    .filter(({ kind }) => kind === DEFINITION)
    .flatMap(({ spec }) => {
      const { group, names, scope } = (spec ?? {}) as { group?: string; names?: { kind?: string }; scope?: string }
      return group && names?.kind ? [{ group, kind: names.kind, namespaced: scope !== 'Cluster' }] : []
    })

export const isOfKind =
  ({ apiVersion, kind }: Pick<ClusterObject, 'apiVersion' | 'kind'>) =>
  (defined: DefinedKind): boolean =>
    defined.kind === kind && apiVersion.startsWith(`${defined.group}/`)
