import { CHAOS_API, CHAOS_KINDS, type ClusterObject, type Need } from '@ordeal/kubernetes'
import { HOME_RIGHTS, PROBER_RIGHTS, SANDBOX_RIGHTS, type Right } from '../place/rights.js'
import { CLUSTER_KINDS } from './cluster-scoped.js'
import { type Sandbox } from './open-sandbox.js'

const RBAC = 'rbac.authorization.k8s.io/v1'
const ADOPT = ['create', 'get']
const OWN = [...ADOPT, 'patch', 'delete']
const LOOK = ['get', 'list', 'watch']
/** Hardly a field of theirs may change once they are there: they are made anew. */
const UNCHANGING = new Set(['Pod', 'Job'])

const nameOf = ({ apiVersion, kind }: Pick<ClusterObject, 'apiVersion' | 'kind'>): string => `${apiVersion} ${kind}`

type Where = Pick<Sandbox, 'namespace' | 'proberNamespace' | 'place' | 'cluster'>

/**
 * Everything that a cycle asks of the cluster, so that what is not allowed is told before anything is begun. The rules in
 * `deploy/k8s` allow these and no more.
 */
export function needsOf(where: Where, objects: readonly ClusterObject[]): Need[] {
  const { namespace, proberNamespace } = where
  const kinds = new Map(objects.map(({ apiVersion, kind }) => [nameOf({ apiVersion, kind }), { apiVersion, kind }]))
  return [
    ...(where.place.mode === 'pool' ? needsOfPool(where) : needsOfOwn(namespace)),
    ...(where.place.mode === 'in-place' ? needsInPlace(where) : []),
    ...CLUSTER_KINDS.filter((kind) => kinds.has(nameOf(kind))).map((kind) => ({ ...kind, verbs: ['list'] })),
    ...[...kinds.values()].map((kind) => ({
      ...kind,
      verbs: OWN.filter((verb) => verb !== 'patch' || !UNCHANGING.has(kind.kind)),
      namespace,
    })),
    ...CHAOS_KINDS.map((kind) => ({ apiVersion: CHAOS_API, kind, verbs: [...OWN, 'list', 'watch'], namespace })),
    { apiVersion: 'v1', kind: 'Pod', verbs: [...LOOK, 'delete'], namespace },
    { apiVersion: 'v1', kind: 'Pod', subresource: 'log', verbs: ['get'], namespace },
    { apiVersion: 'v1', kind: 'Event', verbs: ['list'], namespace },
    { apiVersion: 'v1', kind: 'Service', verbs: ['list'], namespace },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', verbs: ['list'], namespace },
    { apiVersion: RBAC, kind: 'Role', verbs: ADOPT, namespace },
    { apiVersion: RBAC, kind: 'RoleBinding', verbs: ADOPT, namespace },
    { apiVersion: 'v1', kind: 'Pod', verbs: [...LOOK, 'create', 'delete'], namespace: proberNamespace },
    { apiVersion: 'v1', kind: 'Pod', subresource: 'log', verbs: ['get'], namespace: proberNamespace },
    { apiVersion: 'v1', kind: 'Service', verbs: ADOPT, namespace: proberNamespace },
    { apiVersion: 'v1', kind: 'ServiceAccount', verbs: ADOPT, namespace: proberNamespace },
  ]
}

const needsOfOwn = (namespace: string): Need[] => [
  { apiVersion: 'v1', kind: 'Namespace', verbs: [...OWN, 'watch'] },
  { apiVersion: 'v1', kind: 'ServiceAccount', verbs: ['get', 'watch'], namespace },
]

/** To write down what is there, and to find again what was added. */
const needsInPlace = ({ namespace }: Where): Need[] => [
  { apiVersion: 'v1', kind: 'Secret', verbs: OWN, namespace },
  ...SANDBOX_RIGHTS.map(({ apiVersion, kind }) => ({ apiVersion, kind, verbs: ['list'], namespace })),
]

/** To hold a namespace of a pool, and to empty it of whatever may be in it. */
function needsOfPool({ cluster, namespace, proberNamespace }: Where): Need[] {
  const home = cluster.home ?? ''
  const emptied = (rights: readonly Right[], of: string): Need[] =>
    rights.map(({ apiVersion, kind }) => ({ apiVersion, kind, verbs: ['list', 'delete'], namespace: of }))
  return [
    ...HOME_RIGHTS.map(({ apiVersion, kind, verbs }) => ({ apiVersion, kind, verbs, namespace: home })),
    ...emptied(SANDBOX_RIGHTS, namespace),
    ...emptied(PROBER_RIGHTS, proberNamespace),
  ]
}
