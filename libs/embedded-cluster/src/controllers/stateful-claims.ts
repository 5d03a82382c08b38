import { admitted } from '../admission/admit.js'
import { withDefaults } from '../schema/defaults.js'
import { type Cluster } from './cluster.js'
import { type ClaimTemplate, type PersistentVolumeClaim, type Pod, type StatefulSet } from './objects.js'
import { ownerReference } from './owners.js'
import { claimName, ordinalOf } from './stateful-identity.js'

const SOURCE = { component: 'statefulset-controller' }

/** Makes the claims of one ordinal that are not there: those of an earlier pod of the same name are used again. */
export function createClaims(cluster: Cluster, set: StatefulSet, ordinal: number): void {
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template.metadata.name, ordinal)
    if (cluster.store.get('persistentvolumeclaims', set.metadata.namespace ?? '', name)) continue
    cluster.store.create('persistentvolumeclaims', newClaim(cluster, set, template, name))
    const message = `create Claim ${name} Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name} success`
    cluster.events.record(set, SOURCE, { type: 'Normal', reason: 'SuccessfulCreate', message })
  }
}

function newClaim({ store }: Cluster, set: StatefulSet, { metadata, spec }: ClaimTemplate, name: string) {
  const goesWithSet = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete'
  const claim = withDefaults({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ...(goesWithSet ? { ownerReferences: [ownerReference(set)] } : {}),
    },
    spec,
  })
  return admitted(store, 'persistentvolumeclaims', claim)
}

/** Where the policy says that claims go when the set is scaled down, a surplus pod takes its own along. */
export function handOverClaims({ store }: Cluster, set: StatefulSet, pod: Pod): void {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template.metadata.name, ordinalOf(set, pod))
    const claim = store.get<PersistentVolumeClaim>('persistentvolumeclaims', set.metadata.namespace ?? '', name)
    if (!claim) continue
    const metadata = { ...claim.metadata, ownerReferences: [{ ...ownerReference(pod), controller: true }] }
    store.update('persistentvolumeclaims', { ...claim, metadata })
  }
}
