import { posix } from 'node:path'
import { isMap, type Json, type JsonMap, mapsAt, textAt } from '../input/kubernetes-object.js'
import { parseYamlFile } from '../input/yaml-file.js'
import { valueAt, withValueAt } from '../input/json-pointer.js'
import { viewDocument } from './document-view.js'
import { type FileTree } from './file-tree.js'
import { reconcile } from './reconcile.js'

/** A patch that a kustomization applies: a document of a file, or a text within the kustomization itself. */
export interface PatchSource {
  readonly kind: 'merge' | 'json'
  readonly value: Json
  /** What it is aimed at, where its entry says so; a merge patch without one names its object itself. */
  readonly target: JsonMap | null
  readonly at:
    { readonly file: string; readonly docIndex: number } | { readonly inline: readonly string[]; readonly text: string }
}

/** A kustomization file of a tree, read, and changed by making another tree. */
export class Kustomization {
  readonly value: JsonMap
  readonly folder: string
  private readonly docIndex: number

  constructor(
    readonly tree: FileTree,
    readonly file: string,
  ) {
    this.folder = posix.dirname(file)
    const documents = tree.has(file) ? parseYamlFile(tree.file(file)).documents : []
    this.docIndex = Math.max(
      0,
      documents.findIndex((d) => isMap(d.value)),
    )
    const value = documents[this.docIndex]?.value
    this.value = isMap(value) ? value : {}
  }

  /** The list of a field; empty where there is none. */
  list(field: string): Json[] {
    const value = this.value[field]
    return Array.isArray(value) ? value : []
  }

  /** True when it takes a file as it is, not by way of another kustomization. */
  owns(path: string): boolean {
    return this.list('resources').some((entry) => typeof entry === 'string' && this.path(entry) === path)
  }

  /** A path that it names, from the top of the bundle. */
  path(relative: string): string {
    return posix.join(this.folder, relative)
  }

  /** The same with another value at a path of it; undefined removes what is there. */
  with(path: readonly string[], value: Json | undefined): Kustomization {
    const wanted = withValueAt(this.value, path, value) ?? {}
    return new Kustomization(this.tree.withValue({ file: this.file, docIndex: this.docIndex }, wanted), this.file)
  }

  /** The same with one more entry in a list. */
  withEntry(field: string, entry: Json): Kustomization {
    return this.with([field], [...this.list(field), entry])
  }

  /** The same in another tree, which must hold it unchanged. */
  in(tree: FileTree): Kustomization {
    return new Kustomization(tree, this.file)
  }

  /** Every patch that it applies, in order of its fields. */
  patches(): PatchSource[] {
    return [
      ...this.list('patches').flatMap((entry, index) => this.entryPatches(entry, ['patches', String(index)])),
      ...this.list('patchesJson6902').flatMap((entry, i) => this.entryPatches(entry, ['patchesJson6902', String(i)])),
      ...this.list('patchesStrategicMerge').flatMap((entry, index) =>
        typeof entry === 'string' ? this.merges(entry, ['patchesStrategicMerge', String(index)]) : [],
      ),
    ]
  }

  private entryPatches(entry: Json, at: readonly string[]): PatchSource[] {
    const target = isMap(entry) && isMap(entry.target) ? entry.target : null
    const [path, text] = [textAt(entry, 'path'), textAt(entry, 'patch')]
    if (path !== null) return this.ofFile(this.path(path), target)
    return text === null ? [] : inlinePatch(text, [...at, 'patch'], target)
  }

  /** An entry of `patchesStrategicMerge` is a file's name or the patch itself. */
  private merges(entry: string, at: readonly string[]): PatchSource[] {
    return this.tree.has(this.path(entry)) ? this.ofFile(this.path(entry), null) : inlinePatch(entry, at, null)
  }

  private ofFile(file: string, target: JsonMap | null): PatchSource[] {
    if (!this.tree.has(file)) return []
    return parseYamlFile(this.tree.file(file)).documents.flatMap(({ value }, docIndex) =>
      value === null ? [] : [{ kind: kindOf(value), value, target, at: { file, docIndex } }],
    )
  }

  /** The tree with another content of a patch, and the file that this changes. */
  withPatch({ at }: PatchSource, value: Json): { tree: FileTree; file: string } {
    if ('file' in at) return { tree: this.tree.withValue(at, value), file: at.file }
    return { tree: this.with(at.inline, reconcile(at.text, value)).tree, file: this.file }
  }
}

const kindOf = (value: Json): PatchSource['kind'] => (Array.isArray(value) ? 'json' : 'merge')

function inlinePatch(text: string, inline: readonly string[], target: JsonMap | null): PatchSource[] {
  try {
    const { value } = viewDocument(text)
    return value === null ? [] : [{ kind: kindOf(value), value, target, at: { inline, text } }]
  } catch {
    // Several documents, or none that can be read: it stays as it is, and another way is found.
    return []
  }
}

/** The entry of a list of maps that names an object by its `name`, with its index. */
export function entryNamed(kustomization: Kustomization, field: string, names: readonly string[]): number | null {
  const index = mapsAt(kustomization.value, field).findIndex((entry) => names.includes(textAt(entry, 'name') ?? ''))
  return index < 0 || !isMap(valueAt(kustomization.value, [field, String(index)])) ? null : index
}
