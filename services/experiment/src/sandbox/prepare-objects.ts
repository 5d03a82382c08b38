import { objectIdOf, RefusedError, restore, type ClusterObject } from '@ordeal/kubernetes'
import { type Manifests } from '@ordeal/shared'
import { z } from 'zod'
import { naming } from './deploy.js'
import { mapHostNames } from './map-host-names.js'
import { type Sandbox } from './open-sandbox.js'

/** What others need stands first, as `kubectl` and Helm order it. */
const ORDER = [
  'ResourceQuota',
  'LimitRange',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'Service',
  'PodDisruptionBudget',
]
const rank = ({ kind }: ClusterObject): number => {
  const index = ORDER.indexOf(kind)
  return index < 0 ? ORDER.length : index
}

/**
 * A revision's objects as they are applied: credentials put back, in the sandbox's namespace, in the order in which
 * they are needed. Throws RefusedError for what does not belong in a sandbox.
 */
export async function prepareObjects(sandbox: Sandbox, manifests: Manifests): Promise<ClusterObject[]> {
  const secrets = await sandbox.context.vault.get('secrets', z.record(z.string(), z.string()))
  const given = restore(manifests.objects, secrets) as ClusterObject[]
  // The sandbox takes the place of the namespaces of the input.
  const objects = given.filter((o) => o.kind !== 'Namespace')
  const scopes = await Promise.all(objects.map((o) => naming(o, () => sandbox.cluster.objects.namespaced(o))))
  refuseWideScope(objects.filter((_, index) => !scopes[index]))
  const from = onlyNamespace(objects)
  const mapped = mapHostNames(objects, from, sandbox.namespace)
  sandbox.assume(mapped.assumptions)
  return mapped.objects
    .map((o) => ({ ...o, metadata: { ...o.metadata, namespace: sandbox.namespace } }))
    .toSorted((a, b) => rank(a) - rank(b))
}

function refuseWideScope(objects: ClusterObject[]): void {
  if (objects.length === 0) return
  const names = objects.map(objectIdOf).join(', ')
  throw new RefusedError(400, 'ClusterScoped', `${names}: objects of the whole cluster do not fit into a sandbox`)
}

/** The namespace for which the input was written. */
function onlyNamespace(objects: ClusterObject[]): string {
  const names = new Set(objects.map((o) => o.metadata.namespace).filter((name) => name !== undefined))
  const [name = 'default'] = names
  if (names.size <= 1) return name
  throw new RefusedError(
    400,
    'SeveralNamespaces',
    `the input uses ${names.size} namespaces (${[...names].join(', ')}); one sandbox holds one`,
  )
}
