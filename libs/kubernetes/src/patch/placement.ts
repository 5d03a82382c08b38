import { posix } from 'node:path'
import { type Bundle } from '@ordeal/shared'
import { podLabelsOf } from '../graph/pod-template.js'
import { type KubernetesObject, mapAt, selects, stringsAt } from '../input/kubernetes-object.js'
import { type ManifestList, type Project, type SourcedObject } from '../input/project.js'
import { takes } from '../input/skaffold-project.js'

/** Where a new object goes: a file of its own, and the list that must name it, where none does so by a pattern. */
export interface Placement {
  readonly file: string
  readonly list: { readonly list: ManifestList; readonly entry: string } | null
}

/** Beside the file of the object that the new one is about, in the place that the project's form expects. */
export function placeFor(object: KubernetesObject, project: Project, files: Bundle['files']): Placement {
  const beside = relatedFile(object, project.objects)
  const extension = posix.extname(beside) || '.yaml'
  const name = `${object.metadata.name}-${kebab(object.kind)}`.replaceAll(':', '-')
  const file = freeName(posix.join(posix.dirname(beside), name), extension, files)
  return { file, list: listFor(file, beside, project.lists) }
}

/** The workload that the new object selects or scales, or one of its name; else the first object. */
function relatedFile(object: KubernetesObject, objects: readonly SourcedObject[]): string {
  const selector = stringsAt(object, 'spec', 'selector', 'matchLabels')
  const target = mapAt(object, 'spec', 'scaleTargetRef').name
  const related =
    objects.find((o) => selects(selector, podLabelsOf(o.object))) ??
    objects.find((o) => o.object.metadata.name === (target ?? object.metadata.name))
  return (related ?? objects[0])?.source.file ?? 'manifests.yaml'
}

const kebab = (kind: string): string => kind.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()

function freeName(stem: string, extension: string, files: Bundle['files']): string {
  const taken = new Set(files.map((f) => f.path))
  const candidates = [stem, ...Array.from({ length: files.length }, (_, i) => `${stem}-${i + 2}`)]
  return (candidates.find((c) => !taken.has(c + extension)) ?? stem) + extension
}

function listFor(file: string, beside: string, lists: readonly ManifestList[]): Placement['list'] {
  const names = (list: ManifestList, path: string): boolean =>
    list.patterns.some((p) => takes(posix.join(list.folder, p), path))
  if (!lists.length || lists.some((list) => names(list, file))) return null
  const list = lists.find((l) => names(l, beside)) ?? lists[0]
  if (!list) return null
  const relative = posix.relative(list.folder, file)
  const entry = list.patterns.some((p) => p.startsWith('./')) ? `./${relative}` : relative
  return { list, entry }
}
