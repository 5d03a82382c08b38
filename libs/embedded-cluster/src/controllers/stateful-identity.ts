import { type Pod, type StatefulSet } from './objects.js'
import { templateOf, REVISION_HASH } from './revisions.js'
import { type ControllerRevision } from './objects.js'
import { type NewPod } from './create-pod.js'

const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'

/** The number at the end of the pod's name; -1 for a pod that is not of the set. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number {
  const prefix = `${set.metadata.name}-`
  const rest = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : ''
  return /^\d+$/.test(rest) ? Number(rest) : -1
}

export const firstOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0

export function claimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`
}

/** The pod of one ordinal: its name, its labels, its host name under the set's service, its own volumes. */
export function statefulPod(set: StatefulSet, revision: ControllerRevision, ordinal: number): NewPod {
  const { metadata, spec } = templateOf(revision)
  const name = `${set.metadata.name}-${ordinal}`
  const claims = (set.spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata.name)
  const own = (spec.volumes ?? []).filter((volume) => !claims.includes(volume.name))
  const bound = claims.map((claim) => ({
    name: claim,
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }))
  const volumes = [...bound, ...own]
  return {
    owner: set,
    metadata: {
      ...metadata,
      name,
      labels: {
        ...metadata?.labels,
        [POD_INDEX]: String(ordinal),
        [REVISION_HASH]: revision.metadata.name,
        [POD_NAME]: name,
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  }
}
