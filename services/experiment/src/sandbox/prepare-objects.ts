import { isCustomResource, objectIdOf, RefusedError, restore, type ClusterObject } from '@ordeal/kubernetes'
import { type Manifests } from '@ordeal/shared'
import { z } from 'zod'
import { naming } from './deploy.js'
import { definedKinds, isOfKind, judgeClusterScoped } from './cluster-scoped.js'
import { mapNames } from './map-names.js'
import { isIngress, OWN_HOSTS, withOwnHosts } from './own-hosts.js'
import { CYCLE_LABEL, OWNER, type Sandbox } from './open-sandbox.js'

/** What others need stands first, as `kubectl` and Helm order it. */
const ORDER = [
  'CustomResourceDefinition',
  'PriorityClass',
  'StorageClass',
  'PersistentVolume',
  'ClusterRole',
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
 * A revision's objects as they are applied: credentials put back, in the sandbox's namespace, marked as the cycle's, in
 * the order in which they are needed. Throws RefusedError for what does not belong in a sandbox.
 */
export async function prepareObjects(sandbox: Sandbox, manifests: Manifests): Promise<ClusterObject[]> {
  const secrets = await sandbox.context.vault.get('secrets', z.record(z.string(), z.string()))
  const given = restore(manifests.objects, secrets) as ClusterObject[]
  // The sandbox takes the place of the namespaces of the input.
  const { objects, unknown } = await known(
    sandbox,
    given.filter((o) => o.kind !== 'Namespace'),
  )
  sandbox.assume(unknown.map((o) => `${objectIdOf(o)} of ${o.apiVersion} has no effect: ${UNKNOWN}`))
  const scopes = await Promise.all(objects.map((o) => naming(o, () => isNamespaced(sandbox, o, objects))))
  const wide = new Set(objects.filter((_, index) => !scopes[index]))
  const inPlace = sandbox.place.mode === 'in-place'
  if (inPlace) assumeLeft(sandbox, [...wide])
  else refuse('ClusterScoped', judgeClusterScoped([...wide], objects, sandbox.widening))
  const inside = objects.filter((o) => !wide.has(o))
  refuse('SeveralNamespaces', collisions(inside))
  const mapped = mapNames(objects, namespacesOf(inside), sandbox.namespace)
  sandbox.assume([...placeOf(inside), ...mapped.assumptions])
  const hasIngress = !inPlace && mapped.objects.some(isIngress)
  if (hasIngress) sandbox.assume([OWN_HOSTS])
  const named = hasIngress ? mapped.objects.map((o) => hosted(sandbox, o)) : mapped.objects
  return named
    .map((o, index) => place(sandbox, o, scopes[index] ?? true))
    .filter((_, index) => !inPlace || scopes[index])
    .toSorted((a, b) => rank(a) - rank(b))
}

const UNKNOWN = 'the cluster has no definition of its kind, so it is not applied; the files keep it as it is'

/**
 * Custom resources of which neither the cluster nor the input has the definition are left out; whatever else the cluster
 * does not know it refuses.
 */
async function known({ cluster }: Sandbox, all: readonly ClusterObject[]) {
  const defined = definedKinds(all)
  const isKnown = await Promise.all(
    all.map(async (o) => !isCustomResource(o) || defined.some(isOfKind(o)) || cluster.objects.knows(o)),
  )
  return { objects: all.filter((_, i) => isKnown[i]), unknown: all.filter((_, i) => !isKnown[i]) }
}

const hosted = ({ namespace }: Sandbox, object: ClusterObject): ClusterObject =>
  isIngress(object) ? withOwnHosts(object, namespace) : object

async function isNamespaced({ cluster }: Sandbox, object: ClusterObject, all: readonly ClusterObject[]) {
  const defined = definedKinds(all).find(isOfKind(object))
  return defined ? defined.namespaced : cluster.objects.namespaced(object)
}

function place({ context, labels, namespace }: Sandbox, object: ClusterObject, inside: boolean): ClusterObject {
  const { namespace: _, ...metadata } = object.metadata
  const owner = { [OWNER]: `cycle ${context.cycleId} of tenant ${context.tenantId}` }
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(inside && { namespace }),
      labels: { ...metadata.labels, [CYCLE_LABEL]: labels[CYCLE_LABEL] ?? '' },
      annotations: { ...metadata.annotations, ...owner },
    },
  }
}

function assumeLeft(sandbox: Sandbox, wide: readonly ClusterObject[]): void {
  const { namespace } = sandbox
  sandbox.assume([`namespace ${namespace} holds what the input describes; the input was not deployed`])
  if (wide.length) sandbox.assume([`${wide.map(objectIdOf).join(', ')}: left as the cluster has it`])
}

function refuse(reason: string, sentences: readonly string[]): void {
  if (sentences.length) throw new RefusedError(400, reason, sentences.join('; '))
}

const namespaceOf = ({ metadata }: ClusterObject): string => metadata.namespace ?? 'default'

/** The namespaces for which the input was written. What names none goes where the rest goes, where that is one place. */
function namespacesOf(objects: readonly ClusterObject[]): ReadonlySet<string> {
  const named = new Set(objects.flatMap((o) => o.metadata.namespace ?? []))
  return named.size === 1 ? named : new Set(objects.map(namespaceOf))
}

function placeOf(objects: readonly ClusterObject[]): string[] {
  const named = new Set(objects.flatMap((o) => o.metadata.namespace ?? []))
  return named.size === 1 ? [`the sandbox takes the place of namespace ${[...named][0]}`] : []
}

/** Objects of the same kind and name in different namespaces cannot stand in one sandbox. */
function collisions(objects: readonly ClusterObject[]): string[] {
  const alike = Map.groupBy(objects, (o) => `${o.apiVersion} ${objectIdOf(o)}`)
  return [...alike.values()].flatMap((same) => {
    const spaces = [...new Set(same.map(namespaceOf))]
    const [first] = same
    if (!first || spaces.length < 2) return []
    return [`${objectIdOf(first)} stands in the namespaces ${spaces.join(', ')}; one sandbox holds one namespace`]
  })
}
