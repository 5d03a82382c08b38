import { type Pod, type Volume } from '../controllers/objects.js'
import { type ObjectStore } from '../store/store.js'

/** Why the pod's volumes cannot be mounted yet, as the kubelet's event says it; null when they can. */
export function missingVolume(store: ObjectStore, pod: Pod): string | null {
  for (const volume of pod.spec.volumes ?? []) {
    for (const { kind, name } of sourcesOf(volume)) {
      if (store.get(`${kind}s`, pod.metadata.namespace ?? '', name)) continue
      return `MountVolume.SetUp failed for volume "${volume.name}" : ${kind} "${name}" not found`
    }
  }
  return null
}

interface Source {
  readonly kind: 'configmap' | 'secret'
  readonly name: string
}
type Reference = { name?: string; optional?: boolean } | undefined

/** The objects that the volume cannot do without. */
function sourcesOf({ configMap, secret, projected }: Volume): Source[] {
  const named = secret && { name: secret.secretName, optional: secret.optional }
  return [
    ...needed('configmap', configMap),
    ...needed('secret', named),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...needed('configmap', source.configMap),
      ...needed('secret', source.secret),
    ]),
  ]
}

function needed(kind: Source['kind'], reference: Reference): Source[] {
  return reference && !reference.optional ? [{ kind, name: reference.name ?? '' }] : []
}
