import { type Pod } from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'

/** Why the pod's volumes cannot be mounted yet, as the kubelet's event says it; null when they can. */
export function missingVolume(store: ObjectStore, pod: Pod): string | null {
  const namespace = pod.metadata.namespace ?? ''
  for (const { name, configMap, secret } of pod.spec.volumes ?? []) {
    const failed = `MountVolume.SetUp failed for volume "${name}" :`
    if (configMap && !configMap.optional && !store.get('configmaps', namespace, configMap.name ?? '')) {
      return `${failed} configmap "${configMap.name ?? ''}" not found`
    }
    if (secret && !secret.optional && !store.get('secrets', namespace, secret.secretName ?? '')) {
      return `${failed} secret "${secret.secretName ?? ''}" not found`
    }
  }
  return null
}
