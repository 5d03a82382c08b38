import { RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'

const ACCOUNT = 'ordeal-prober'
const RBAC = 'rbac.authorization.k8s.io/v1'

/** As a prober runs where pods have rights: with none but to read, and with its share of a busy node. */
const MODEST = {
  serviceAccountName: ACCOUNT,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    seccompProfile: { type: 'RuntimeDefault' },
  },
}
const MODEST_CONTAINER = {
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  resources: { requests: { cpu: '200m', memory: '64Mi' }, limits: { memory: '256Mi' } },
}

/** Fields of the prober's pod and of its container. */
export interface ProberRights {
  readonly pod: Record<string, unknown>
  readonly container: Record<string, unknown>
}

/** Lets the prober list the pods of the sandbox, and what they use, and nothing else. A cluster without authorisation has none to give. */
export async function allowReading(sandbox: Sandbox): Promise<ProberRights> {
  const { cluster, namespace, proberNamespace, labels } = sandbox
  if (!(await cluster.objects.knows({ apiVersion: RBAC, kind: 'Role' }))) return { pod: {}, container: {} }
  const name = ACCOUNT
  // Nobody can give what he does not have.
  const figures = (await loadPath(sandbox, {})) !== null
  const objects: ClusterObject[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: proberNamespace, labels } },
    {
      apiVersion: RBAC,
      kind: 'Role',
      metadata: { name, namespace, labels },
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
        ...(figures ? [{ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] }] : []),
      ],
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
  return { pod: MODEST, container: MODEST_CONTAINER }
}

const METRICS = { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' }

/** API path of what pods use; null where the cluster does not tell, or not us. */
export async function loadPath(
  { cluster: { objects }, namespace }: Sandbox,
  labels: Record<string, string>,
): Promise<string | null> {
  try {
    if (!(await objects.knows(METRICS))) return null
    await objects.list({ ...METRICS, namespace, labels })
    return await objects.path({ ...METRICS, namespace, labels })
  } catch (error) {
    if (error instanceof RefusedError) return null
    throw error
  }
}
