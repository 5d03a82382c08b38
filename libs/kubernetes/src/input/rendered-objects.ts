import { posix } from 'node:path'
import { type RenderedObject } from '@ordeal/renderer'
import { InputError } from '@ordeal/shared'
import { isMap, type Json, type KubernetesObject, mapsAt, textAt } from './kubernetes-object.js'
import { itemsOf, readManifestFile, requireObject } from './manifest-file.js'
import { originalNames } from './original-names.js'
import { type HelmRelease, type ObjectSource, type SourcedObject } from './project.js'
import { offsetAt, parseYamlFile, type TextFile } from './yaml-file.js'

type Found = Omit<RenderedObject, 'object'> & { readonly object: KubernetesObject }

/** What a kustomization gave, each with the document that it was, or the generator that made it. */
export function kustomizeObjects(
  rendered: readonly RenderedObject[],
  kustomization: string,
  files: readonly TextFile[],
): SourcedObject[] {
  const places = new Places(files)
  const found = rendered.flatMap(objectsIn)
  const originals = originalNames(found, (file) => places.documents(file))
  return found.map((each, i) => {
    const originalName = originals[i] ?? each.object.metadata.name
    return {
      object: each.object,
      source: each.generated
        ? places.generator(each.file || kustomization, each.object)
        : places.document(each.file, each.object.kind, originalName),
      origin: { kind: 'kustomize', file: kustomization, originalName, generated: each.generated },
    }
  })
}

/** What a chart gave, each with its template. */
export function chartObjects(
  rendered: readonly RenderedObject[],
  release: HelmRelease,
  files: readonly TextFile[],
): SourcedObject[] {
  const places = new Places(files)
  return rendered.flatMap(objectsIn).map((each) => ({
    object: each.object,
    source: places.template(each),
    origin: { kind: 'helm', release },
  }))
}

/** A document without an object gives none, one of kind List its items. */
function objectsIn(rendered: RenderedObject): Found[] {
  const value = rendered.object as Json
  if (value === null) return []
  const items = isMap(value) ? (itemsOf(value) ?? [value]) : [value]
  return items.map((item) => {
    if (isMap(item)) return { ...rendered, object: requireObject(item, rendered.file) }
    throw new InputError('it renders to something that is no Kubernetes object', rendered.file)
  })
}

/** What Kustomize takes for a resource may still be none for us: it has no name, say, until a patch gives it one. */
function objectsOf(file: TextFile): readonly SourcedObject[] {
  try {
    return readManifestFile(file)
  } catch (error) {
    if (error instanceof InputError) return []
    throw error
  }
}

/** Finds what rendered objects were in the user's files; a file that tells nothing is named with its first line. */
class Places {
  private readonly files: ReadonlyMap<string, TextFile>
  private readonly kinds = new Map<string, number>()

  constructor(files: readonly TextFile[]) {
    this.files = new Map(files.map((f) => [f.path, f]))
  }

  /** The objects of a manifest file; none where our own, stricter reading of it fails. */
  documents(path: string): readonly SourcedObject[] {
    const file = this.files.get(path)
    return file ? objectsOf(file) : []
  }

  document(path: string, kind: string, name: string): ObjectSource {
    const found = this.documents(path).find(({ object }) => object.kind === kind && object.metadata.name === name)
    return found?.source ?? this.top(path)
  }

  /** The entry of the generator: objects get a hash behind its name. */
  generator(path: string, { kind, metadata }: KubernetesObject): ObjectSource {
    const file = this.files.get(path)
    const yaml = file && parseYamlFile(file)
    const document = yaml?.documents[0]
    const field = kind === 'Secret' ? 'secretGenerator' : 'configMapGenerator'
    const entries = mapsAt(document?.value, field)
    const index = entries.findIndex((entry) => metadata.name.includes(textAt(entry, 'name') ?? '\0'))
    if (!yaml || !document || index < 0) return this.top(path)
    return { ...this.top(path), line: yaml.lineAt(offsetAt(document.document, [field, String(index)])) }
  }

  /** The line of the template's `kind`, the n-th where it gave several objects of that kind. */
  template({ file, object }: Found): ObjectSource {
    const key = `${file} ${object.kind}`
    const nth = this.kinds.get(key) ?? 0
    this.kinds.set(key, nth + 1)
    const lines = (this.files.get(file)?.content ?? '').split('\n')
    const isKind = new RegExp(`^kind:\\s*["']?${object.kind}\\b`)
    const found = lines.flatMap((line, i) => (isKind.test(line) ? [i + 1] : []))
    return { ...this.top(posix.normalize(file)), line: found[Math.min(nth, found.length - 1)] ?? 1 }
  }

  private top(file: string): ObjectSource {
    return { file, line: 1, docIndex: 0, itemIndex: null }
  }
}
