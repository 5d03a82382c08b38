import { posix } from 'node:path'
import { valueAt, withValueAt } from '../input/json-pointer.js'
import { type Json, type JsonMap, type KubernetesObject } from '../input/kubernetes-object.js'
import { type ManifestList, type Project, type SourcedObject } from '../input/project.js'
import { takes } from '../input/skaffold-project.js'
import { edited, wholeObject } from './apply-to-objects.js'
import { viewDocument } from './document-view.js'
import { type FileTree, freePath } from './file-tree.js'
import { type Landing, type Situation } from './landing.js'
import { fileStem, listFor } from './placement.js'
import { PLAIN_STYLE, printDocument, type Style } from './print-yaml.js'
import { reconcile } from './reconcile.js'
import { replaceObject } from './replace-object.js'
import { isBlank, splitDocuments, withoutDocument } from './source-text.js'

/** Writes a change into manifests that stand in their files as they are, in place. */
export function* documentLandings(situation: Situation): Generator<Landing> {
  const { change, entry, tree } = situation
  const { file } = entry.source
  if (change.kind === 'create') yield create(situation)
  else if (change.kind === 'delete') yield { tree: remove(situation), file }
  else if (change.kind === 'edit') yield { tree: withObject(tree, entry, edited(entry.object, change)), file }
  else yield { tree: withReplaced(tree, entry, wholeObject(change)), file }
}

/** The files with another object at the place of `entry`; `object` is as that place writes it. */
export const withObject = (tree: FileTree, { source }: SourcedObject, object: KubernetesObject): FileTree =>
  tree.withValue(source, source.itemIndex === null ? object : inList(tree, source, object))

/** The same for an object of another kind, which keeps what the comments of the old one say. */
export const withReplaced = (tree: FileTree, { source }: SourcedObject, object: KubernetesObject): FileTree =>
  source.itemIndex === null
    ? tree.withChanged(source, (text) => replaceObject(text, object))
    : tree.withValue(source, inList(tree, source, object))

/** The files without an object; its file goes, too, where nothing else is left in it. */
export function withoutObject(tree: FileTree, { source }: SourcedObject): FileTree {
  if (source.itemIndex !== null) {
    return tree.withChanged(source, (text) => reconcile(text, inList(tree, source, undefined)))
  }
  const content = withoutDocument(tree.file(source.file).content, source.docIndex)
  return isBlank(content) ? tree.without(source.file) : tree.with(source.file, content)
}

/** The List document with another object, or none, as the item of `source`. */
const inList = (tree: FileTree, source: SourcedObject['source'], object: KubernetesObject | undefined): Json =>
  withValueAt(tree.valueOf(source), ['items', String(source.itemIndex)], object) ?? null

function create({ project, tree, change, entry }: Situation): Landing {
  const object = wholeObject(change)
  const beside = entry.source.file
  const stem = posix.join(posix.dirname(beside), fileStem(object.metadata.name, object.kind))
  const file = freePath(tree, stem, posix.extname(beside) || '.yaml')
  const made = tree.with(file, printDocument(object, styleBeside(tree, beside, file)))
  const named = listFor(file, beside, project.lists)
  return { tree: named ? withList(made, named.list, (entries) => [...entries, named.entry]) : made, file }
}

const JSON_STYLE: Style['json'] = { level: '  ', colon: ': ' }

/** The style of a new file: as the one beside it is written. */
export function styleBeside(tree: FileTree, beside: string, file: string): Style {
  const text = tree.has(beside) ? splitDocuments(tree.file(beside).content)[0] : undefined
  return text ? { ...viewDocument(text).style, json: file.endsWith('.json') ? JSON_STYLE : null } : PLAIN_STYLE
}

function remove({ project, tree, entry }: Situation): FileTree {
  const left = withoutObject(tree, entry)
  return left.has(entry.source.file) ? left : unlisted(left, project, entry.source.file)
}

function unlisted(tree: FileTree, project: Project, path: string): FileTree {
  return project.lists
    .filter((list) => list.patterns.some((p) => takes(posix.join(list.folder, p), path)))
    .reduce<FileTree>((left, list) => {
      const isEntry = (item: Json): boolean => typeof item === 'string' && posix.join(list.folder, item) === path
      return withList(left, list, (entries) => entries.filter((item) => !isEntry(item)))
    }, tree)
}

function withList(tree: FileTree, list: ManifestList, how: (entries: Json[]) => Json[]): FileTree {
  const value = (tree.valueOf(list) ?? {}) as JsonMap
  const entries = valueAt(value, list.path)
  const wanted = how(Array.isArray(entries) ? entries : [...list.patterns])
  return tree.withValue(list, withValueAt(value, list.path, wanted) ?? null)
}
