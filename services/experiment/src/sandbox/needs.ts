import { CHAOS_API, CHAOS_KINDS, type ClusterObject, type Need } from '@ordeal/kubernetes'
import { type Sandbox } from './open-sandbox.js'

const RBAC = 'rbac.authorization.k8s.io/v1'
const ADOPT = ['create', 'get']
const OWN = [...ADOPT, 'patch', 'delete']
const LOOK = ['get', 'list', 'watch']

/**
 * Everything that a cycle asks of the cluster, so that what is not allowed is told before anything is begun. The rules in
 * `deploy/k8s` allow these and no more.
 */
export function needsOf(
  { namespace, proberNamespace }: Pick<Sandbox, 'namespace' | 'proberNamespace'>,
  objects: readonly ClusterObject[],
): Need[] {
  const kinds = new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]))
  return [
    { apiVersion: 'v1', kind: 'Namespace', verbs: [...OWN, 'watch'] },
    ...[...kinds.values()].map((kind) => ({ ...kind, verbs: OWN, namespace })),
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
