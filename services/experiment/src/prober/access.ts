import { type ClusterObject } from '@ordeal/kubernetes'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'

export const PROBER_ACCOUNT = 'ordeal-prober'

const RBAC = 'rbac.authorization.k8s.io/v1'

/**
 * Lets the prober list the pods of the sandbox, and nothing else. The embedded cluster has no authorisation: there is
 * nothing to allow.
 */
export async function allowReading({ cluster, namespace, proberNamespace, labels }: Sandbox): Promise<void> {
  if (cluster.kind === 'embedded') return
  const name = PROBER_ACCOUNT
  const objects: ClusterObject[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: proberNamespace, labels } },
    {
      apiVersion: RBAC,
      kind: 'Role',
      metadata: { name, namespace, labels },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { name, namespace, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: proberNamespace }],
    },
  ]
  for (const object of objects) await cluster.objects.adopt(object, isOwn(labels))
}
