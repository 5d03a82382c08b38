import { posix } from 'node:path'
import { type RenderedObject } from '@ordeal/renderer'
import { InputError } from '@ordeal/shared'
import { isMap, type Json, type KubernetesObject, mapsAt, textAt, textsAt } from './kubernetes-object.js'
import { itemsOf, readManifestFile, requireObject } from './manifest-file.js'
import { isKustomization } from './kustomization.js'
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
  const found = rendered.flatMap(objectsIn).map((each) => retraced(each, places))
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

/** Kinds that the generators of Kustomize make. */
const GENERATED = new Set(['ConfigMap', 'Secret'])

/**
 * A patch that sets all annotations of an object takes away Kustomize's note of where it came from, as if a generator had
 * made it. It is told again by its kind and name.
 */
function retraced(each: Found, places: Places): Found {
  const file = each.generated && !GENERATED.has(each.object.kind) ? places.resourceOf(each.object) : null
  return file === null ? each : { ...each, file, generated: false }
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

  /** The one resource of a kustomization that can have become an object, by a prefix or suffix at most; else null. */
  resourceOf({ kind, metadata }: KubernetesObject): string | null {
    const named = this.resources().flatMap((path) =>
      this.documents(path)
        .filter(({ object }) => object.kind === kind && metadata.name.includes(object.metadata.name))
        .map(({ object }) => ({ path, length: object.metadata.name.length })),
    )
    const longest = Math.max(...named.map(({ length }) => length))
    const likely = new Set(named.filter(({ length }) => length === longest).map(({ path }) => path))
    return likely.size === 1 ? ([...likely][0] ?? null) : null
  }

  private resources(): string[] {
    const kustomizations = [...this.files.values()].filter(({ path }) => isKustomization(path))
    return kustomizations.flatMap((file) =>
      textsAt(parseYamlFile(file).documents[0]?.value, 'resources').map((entry) =>
        posix.join(posix.dirname(file.path), entry),
      ),
    )
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
