import { type Pod, type Volume } from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'

/** Why the pod's volumes cannot be mounted yet, as the kubelet's event says it; null when they can. */
export function missingVolume(store: ObjectStore, pod: Pod): string | null {
  for (const volume of pod.spec.volumes ?? []) {
    const { kind, collection, name } = sourceOf(volume)
    if (name === null || store.get(collection, pod.metadata.namespace ?? '', name)) continue
    return `MountVolume.SetUp failed for volume "${volume.name}" : ${kind} "${name}" not found`
  }
  return null
}

/** The object that the volume cannot do without; its name is null when there is none. */
function sourceOf({ configMap, secret }: Volume) {
  if (configMap) {
    const name = configMap.optional ? null : (configMap.name ?? '')
    return { kind: 'configmap', collection: 'configmaps', name } as const
  }
  const name = !secret || secret.optional ? null : (secret.secretName ?? '')
  return { kind: 'secret', collection: 'secrets', name } as const
}
