import { sameJson, type StoredObject } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { type ControllerRevision, type PodTemplate } from './objects.js'
import { ownerReference } from './owners.js'
import { templateHash } from './template-hash.js'

/** Names the hash of a revision: on the revision itself, and on pods of DaemonSets. */
export const REVISION_HASH = 'controller-revision-hash'
const OWN_HASH = 'controller.kubernetes.io/hash'

type Owner = StoredObject & { spec: { template: PodTemplate; revisionHistoryLimit?: number } }

/** The revisions of a set, oldest first. */
export function revisionsOf({ store }: Cluster, owner: Owner): ControllerRevision[] {
  return store
    .listOwned<ControllerRevision>('controllerrevisions.apps', owner.metadata.namespace ?? '', owner.metadata.uid)
    .sort((a, b) => a.revision - b.revision)
}

/** The revision of the set's template as it is now: one that is there already becomes the newest again. */
export function currentRevision(
  { store }: Cluster,
  owner: Owner,
  known: readonly ControllerRevision[],
): ControllerRevision {
  const data = { spec: { template: { $patch: 'replace', ...owner.spec.template } } }
  const newest = known.at(-1)
  const equal = known.findLast((revision) => sameJson(revision.data, data))
  const number = (newest?.revision ?? 0) + 1
  if (equal) {
    if (equal === newest) return equal
    return store.update<ControllerRevision>('controllerrevisions.apps', { ...equal, revision: number })
  }
  return store.create<ControllerRevision>('controllerrevisions.apps', newRevision(owner, data, number))
}

function newRevision(owner: Owner, data: unknown, revision: number) {
  const { name, namespace } = owner.metadata
  const hash = templateHash(owner.spec.template)
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...owner.spec.template.metadata?.labels, [OWN_HASH]: hash },
      ...(owner.metadata.annotations ? { annotations: owner.metadata.annotations } : {}),
      ownerReferences: [ownerReference(owner)],
    },
    data,
    revision,
  }
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[OWN_HASH] ?? ''

/** The template that a revision stands for. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _patch, ...template } = (data as { spec: { template: PodTemplate & { $patch?: string } } }).spec
    .template
  return template
}

/** Forgets the oldest revisions that nothing uses, beyond the limit. */
export function forgetRevisions(cluster: Cluster, owner: Owner, live: ReadonlySet<string>): void {
  const idle = revisionsOf(cluster, owner).filter(({ metadata }) => !live.has(metadata.name))
  const surplus = idle.slice(0, Math.max(0, idle.length - (owner.spec.revisionHistoryLimit ?? 10)))
  for (const { metadata } of surplus) {
    cluster.store.remove('controllerrevisions.apps', metadata.namespace ?? '', metadata.name)
  }
}
