import { posix } from 'node:path'
import { InputError } from '@ordeal/shared'
import { podLabelsOf } from '../graph/pod-template.js'
import { type KubernetesObject, mapAt, selects, stringsAt } from '../input/kubernetes-object.js'
import { type ManifestList, type SourcedObject } from '../input/project.js'
import { takes } from '../input/skaffold-project.js'

/** The object that a new one belongs to: the workload that it selects or scales, one of its name, else the first. */
export function relatedTo(object: KubernetesObject, objects: readonly SourcedObject[]): SourcedObject {
  const selector = stringsAt(object, 'spec', 'selector', 'matchLabels')
  const target = mapAt(object, 'spec', 'scaleTargetRef').name
  const related =
    objects.find((o) => selects(selector, podLabelsOf(o.object))) ??
    objects.find((o) => o.object.metadata.name === (target ?? object.metadata.name)) ??
    objects[0]
  if (!related) throw new InputError('there is no object beside which a new one could stand')
  return related
}

/** `PodDisruptionBudget/web` → `web-pod-disruption-budget`, the name of a file of its own. */
export const fileStem = (name: string, kind: string): string =>
  `${name}-${kind.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}`.replaceAll(':', '-')

/** The list that must name a new file, and how, where there are lists and none takes it by a pattern. */
export function listFor(
  file: string,
  beside: string,
  lists: readonly ManifestList[],
): { readonly list: ManifestList; readonly entry: string } | null {
  const names = (list: ManifestList, path: string): boolean =>
    list.patterns.some((p) => takes(posix.join(list.folder, p), path))
  if (!lists.length || lists.some((list) => names(list, file))) return null
  const list = lists.find((l) => names(l, beside)) ?? lists[0]
  if (!list) return null
  const relative = posix.relative(list.folder, file)
  const entry = list.patterns.some((p) => p.startsWith('./')) ? `./${relative}` : relative
  return { list, entry }
}
