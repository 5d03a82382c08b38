import { type KubernetesObject, mapAt, mapsAt, textAt } from '../input/kubernetes-object.js'
import { matchesSelector } from '../input/label-selector.js'
import { podLabelsOf, podSpecOf } from './pod-template.js'

const NODE = 'kubernetes.io/hostname'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'

/** Where a pod's specification binds all pods like it to one node, as a path below it; null where it does not. */
export function bindingOf(object: KubernetesObject): (string | number)[] | null {
  const { nodeName, nodeSelector, affinity } = podSpecOf(object)
  if (typeof nodeName === 'string' && nodeName) return ['nodeName']
  if (textAt(nodeSelector, NODE) !== null) return ['nodeSelector', NODE]
  const index = mapsAt(mapAt(affinity, 'podAffinity'), REQUIRED).findIndex(
    (term) => term.topologyKey === NODE && matchesSelector(term.labelSelector, podLabelsOf(object)),
  )
  return index < 0 ? null : ['affinity', 'podAffinity', REQUIRED, index]
}
