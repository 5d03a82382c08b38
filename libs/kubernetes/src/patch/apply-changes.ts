import { type Bundle, type Change, InputError, TerminalError } from '@ordeal/shared'
import { valueAt, withValueAt } from '../input/json-pointer.js'
import { idOf, type Json, type JsonMap, type KubernetesObject } from '../input/kubernetes-object.js'
import { readManifestFile } from '../input/manifest-file.js'
import { type ManifestList, type Project, type SourcedObject } from '../input/project.js'
import { takes } from '../input/skaffold-project.js'
import { parseYamlFile, type TextFile } from '../input/yaml-file.js'
import { edited, wholeObject } from './apply-to-objects.js'
import { viewDocument } from './document-view.js'
import { placeFor } from './placement.js'
import { PLAIN_STYLE, printDocument, type Style } from './print-yaml.js'
import { NotReconcilable, reconcile } from './reconcile.js'
import { replaceObject } from './replace-object.js'
import { isBlank, splitDocuments, withDocument, withoutDocument } from './source-text.js'
import { posix } from 'node:path'

/** A bundle with changes in it, and the changes with the file that each landed in. */
export interface Applied {
  readonly bundle: Bundle
  readonly changes: Change[]
}

/**
 * Makes the changes in the user's own files, in place: lines that no change names stay byte for byte. Values that a
 * change brings must be the real ones; put credentials back first (`restore`). Throws InputError for an object that is
 * not there, and TerminalError `patch-failed` for a file that cannot be changed in place.
 */
export function applyChanges(project: Project, changes: readonly Change[]): Applied {
  const tree = new SourceTree(project)
  const landed = changes.map((change) => ({ ...change, file: tree.apply(change) }))
  return { bundle: tree.bundle(), changes: landed }
}

class SourceTree {
  private readonly files: Map<string, TextFile>
  private readonly manifests: Set<string>

  constructor(private readonly project: Project) {
    this.files = new Map(project.files.map((file) => [file.path, file]))
    this.manifests = new Set(project.objects.map((o) => o.source.file))
  }

  bundle(): Bundle {
    return { files: [...this.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) }
  }

  /** Returns the file in which the change landed. */
  apply(change: Change): string {
    if (change.kind === 'create') return this.create(wholeObject(change))
    const entry = this.find(change)
    const file = entry.source.file
    if (change.kind === 'delete') this.remove(entry)
    else if (change.kind === 'edit') this.write(entry, edited(entry.object, change), reconcile)
    else this.write(entry, wholeObject(change), entry.source.itemIndex === null ? replaceWhole : reconcile)
    return file
  }

  private find(change: Change): SourcedObject {
    const found = this.objects().find((o) => idOf(o.object) === change.object)
    if (found) return found
    throw new InputError(`there is no ${change.object} to ${change.kind}`)
  }

  private objects(): SourcedObject[] {
    return [...this.manifests].flatMap((path) => readManifestFile(this.file(path)))
  }

  private file(path: string): TextFile {
    const file = this.files.get(path)
    if (!file) throw new InputError('the file is not there', path)
    return file
  }

  private put(path: string, content: string): void {
    this.files.set(path, { path, content })
  }

  private write(
    { source }: SourcedObject,
    object: KubernetesObject,
    how: (text: string, wanted: Json) => string,
  ): void {
    const wanted = source.itemIndex === null ? object : this.inList(source, object)
    this.change(source, (text) => how(text, wanted))
  }

  /** The List document with another object, or none, as the item of `source`. */
  private inList(source: SourcedObject['source'], object: KubernetesObject | undefined): Json {
    const document = parseYamlFile(this.file(source.file)).documents[source.docIndex]
    return withValueAt(document?.value, ['items', String(source.itemIndex)], object) ?? null
  }

  private change({ file, docIndex }: { file: string; docIndex: number }, how: (text: string) => string): void {
    try {
      this.put(file, withDocument(this.file(file).content, docIndex, how))
    } catch (error) {
      if (!(error instanceof NotReconcilable)) throw error
      const message = `${file}: document ${docIndex + 1} cannot be changed in place: ${error.message}`
      throw new TerminalError('patch-failed', message, { cause: error })
    }
  }

  private create(object: KubernetesObject): string {
    if (this.objects().some((o) => idOf(o.object) === idOf(object)))
      throw new InputError(`there is a ${idOf(object)} already`)
    const { file, list } = placeFor(object, this.project, [...this.files.values()])
    this.put(file, printDocument(object, this.styleBeside(file)))
    this.manifests.add(file)
    if (list) this.editList(list.list, (entries) => [...entries, list.entry])
    return file
  }

  /** As the first manifest of the same folder is written. */
  private styleBeside(file: string): Style {
    const neighbour =
      [...this.manifests].find((m) => posix.dirname(m) === posix.dirname(file)) ?? [...this.manifests][0]
    const text = neighbour === undefined ? null : splitDocuments(this.file(neighbour).content)[0]
    return text ? { ...viewDocument(text).style, json: file.endsWith('.json') ? JSON_STYLE : null } : PLAIN_STYLE
  }

  private remove({ source }: SourcedObject): void {
    if (source.itemIndex !== null) {
      this.change(source, (text) => reconcile(text, this.inList(source, undefined)))
      return
    }
    const content = withoutDocument(this.file(source.file).content, source.docIndex)
    if (isBlank(content)) this.removeFile(source.file)
    else this.put(source.file, content)
  }

  private removeFile(path: string): void {
    this.files.delete(path)
    this.manifests.delete(path)
    for (const list of this.project.lists) {
      const isEntry = (entry: Json): boolean => typeof entry === 'string' && posix.join(list.folder, entry) === path
      if (list.patterns.some((p) => takes(posix.join(list.folder, p), path))) {
        this.editList(list, (entries) => entries.filter((entry) => !isEntry(entry)))
      }
    }
  }

  private editList(list: ManifestList, how: (entries: Json[]) => Json[]): void {
    const value = (parseYamlFile(this.file(list.file)).documents[list.docIndex]?.value ?? {}) as JsonMap
    const entries = valueAt(value, list.path)
    const wanted = withValueAt(value, list.path, how(Array.isArray(entries) ? entries : [...list.patterns])) ?? null
    this.change(list, (text) => reconcile(text, wanted))
  }
}

const JSON_STYLE: Style['json'] = { level: '  ', colon: ': ' }

const replaceWhole = (text: string, wanted: Json): string => replaceObject(text, wanted as KubernetesObject)
