import { posix } from 'node:path'
import { formatPointer, parsePointer, valueAt, withValueAt } from '../input/json-pointer.js'
import { isMap, type Json, type JsonMap, type KubernetesObject, textAt } from '../input/kubernetes-object.js'
import { type KustomizeOrigin, type SourcedObject } from '../input/project.js'
import { wholeObject } from './apply-to-objects.js'
import { styleBeside, withObject, withoutObject, withReplaced } from './document-landing.js'
import { type FileTree, freePath } from './file-tree.js'
import { jsonPatchOperation } from './json-patch.js'
import { entryNamed, Kustomization, type PatchSource } from './kustomization.js'
import { type Landing, type Situation } from './landing.js'
import { fileStem } from './placement.js'
import { printDocument } from './print-yaml.js'
import { replaceObject } from './replace-object.js'
import { splitDocuments } from './source-text.js'
import { mergedPath, withMerged } from './strategic-merge.js'

type Target = Pick<KustomizeOrigin, 'file' | 'originalName'>

/** What a change is about, as a kustomization sees it. */
interface Aim {
  readonly kustomization: Kustomization
  readonly entry: SourcedObject
  readonly object: KubernetesObject
  /** The name by which its patches find the object. */
  readonly name: string
  /** The names of all objects before they were changed, by what they are called now. */
  readonly names: ReadonlyMap<string, string>
}

/**
 * Ways to write a change into the kustomization that was given, the most natural first: where it says the same thing
 * already, in a manifest that is its own, as one of its entries, as a patch. What lies below it, and may be shared by
 * other overlays, is never changed.
 */
export function* kustomizeLandings(situation: Situation, { file, originalName }: Target): Generator<Landing> {
  const { change, tree, entry, project } = situation
  const kustomization = new Kustomization(tree, file)
  const names = new Map(project.objects.flatMap((o) => namesOf(o, kustomization)))
  const aim = { kustomization, entry, object: entry.object, name: originalName, names }
  if (change.kind === 'create') yield* createLandings(aim, wholeObject(change))
  else if (change.kind === 'delete') yield* deleteLandings(aim)
  else if (change.kind === 'replace') yield* replaceLandings(aim, wholeObject(change))
  else yield* editLandings(aim, parsePointer(change.path), change.after as Json | undefined)
}

/** What an object is called, and what it was called in its manifest or by its generator, which adds a hash. */
function namesOf({ object, origin }: SourcedObject, kustomization: Kustomization): [string, string][] {
  if (origin?.kind !== 'kustomize') return []
  const { name } = object.metadata
  const [bare = name] = namesBefore(kustomization, name.replace(/-[a-z0-9]{10}$/, ''))
  return [[name, origin.generated ? bare : origin.originalName]]
}

function* editLandings(aim: Aim, path: readonly string[], after: Json | undefined): Generator<Landing> {
  yield* existingReplicas(aim, path, after)
  yield* existingPatches(aim, path, after)
  yield* ownManifest(aim, path, after)
  yield* newReplicas(aim, path, after)
  yield* mergePatches(aim, path, after)
  yield* jsonPatch(aim, jsonPatchOperation(aim.object, path, after))
}

const isReplicas = (path: readonly string[], after: Json | undefined): after is number =>
  path.join('/') === 'spec/replicas' && typeof after === 'number'

function* existingReplicas(aim: Aim, path: readonly string[], after: Json | undefined): Generator<Landing> {
  const index = entryNamed(aim.kustomization, 'replicas', [aim.name, aim.object.metadata.name])
  if (index === null || !isReplicas(path, after)) return
  yield landed(aim.kustomization.with(['replicas', String(index), 'count'], after))
}

function* newReplicas(aim: Aim, path: readonly string[], after: Json | undefined): Generator<Landing> {
  if (isReplicas(path, after)) yield landed(aim.kustomization.withEntry('replicas', { name: aim.name, count: after }))
}

const landed = ({ tree, file }: Kustomization): Landing => ({ tree, file })

/** A patch that sets the very field: another one beside it would leave two that contradict each other. */
function* existingPatches(aim: Aim, path: readonly string[], after: Json | undefined): Generator<Landing> {
  if (after === undefined) return
  for (const patch of aim.kustomization.patches().filter((p) => isAimedAt(p, aim))) {
    const at = patch.kind === 'merge' ? mergedPath(rootOf(patch, aim), path) : operationAt(patch.value, path)
    if (at) yield aim.kustomization.withPatch(patch, withValueAt(patch.value, at, after) ?? null)
  }
}

const rootOf = ({ value }: PatchSource, { object }: Aim) => ({ patch: value, rendered: object, field: '' })

/** Where the value of the operation stands that sets a path. */
function operationAt(operations: Json, path: readonly string[]): string[] | null {
  const pointer = formatPointer(path)
  const index = Array.isArray(operations)
    ? operations.findLastIndex((o) => isMap(o) && o.path === pointer && o.op !== 'remove' && o.value !== undefined)
    : -1
  return index < 0 ? null : [String(index), 'value']
}

/** A patch for this one object; one that is aimed at several would change others, too. */
function isAimedAt({ target, value }: PatchSource, { object, name }: Aim): boolean {
  const names = [name, object.metadata.name]
  if (target) return [object.kind, undefined].includes(textAt(target, 'kind') ?? undefined) && isNamed(target, names)
  return isMap(value) && value.kind === object.kind && isNamed(isMap(value.metadata) ? value.metadata : {}, names)
}

const isNamed = (value: JsonMap, names: readonly string[]): boolean => names.includes(textAt(value, 'name') ?? '')

/** The manifest itself, where the kustomization names it: then nobody else is meant to use it. */
function* ownManifest(aim: Aim, path: readonly string[], after: Json | undefined): Generator<Landing> {
  const written = ownObject(aim)
  if (!written) return
  const wanted = withValueAt(written, path, after) as KubernetesObject
  yield { tree: withObject(aim.kustomization.tree, aim.entry, wanted), file: aim.entry.source.file }
}

/** The object as its manifest writes it, before any transformation; null for a manifest of another kustomization. */
function ownObject({ kustomization, entry, name }: Aim): KubernetesObject | null {
  const { source } = entry
  if (!kustomization.owns(source.file) || !kustomization.tree.has(source.file)) return null
  const value = kustomization.tree.valueOf(source)
  const item = source.itemIndex === null ? value : valueAt(value, ['items', String(source.itemIndex)])
  const isIt = isMap(item) && isMap(item.metadata) && item.metadata.name === name
  return isIt ? (item as KubernetesObject) : null
}

/** In a patch that is there for the object, then in one of its own, by the object's id and by an explicit target. */
function* mergePatches(aim: Aim, path: readonly string[], after: Json | undefined): Generator<Landing> {
  if (after === undefined) return
  const { kustomization } = aim
  for (const patch of kustomization.patches().filter((p) => p.kind === 'merge' && isAimedAt(p, aim))) {
    const value = withMerged(rootOf(patch, aim), path, after)
    if (value !== null) yield kustomization.withPatch(patch, value)
  }
  const value = withMerged({ patch: headOf(aim), rendered: aim.object, field: '' }, path, after)
  if (isMap(value)) yield* newPatches(aim, value, 'patch')
}

/** What a patch begins with to say which object it is for. */
const headOf = ({ object, name }: Aim): JsonMap => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  metadata: { name },
})

function* newPatches(aim: Aim, value: JsonMap, suffix: string): Generator<Landing> {
  const { kustomization, object, name } = aim
  const stem = kustomization.path(`${fileStem(name, object.kind)}-${suffix}`)
  const file = freePath(kustomization.tree, stem, '.yaml')
  const tree = kustomization.tree.with(file, printDocument(value, styleOf(kustomization, file)))
  const path = posix.basename(file)
  yield { tree: kustomization.in(tree).withEntry('patches', { path }).tree, file }
  yield { tree: kustomization.in(tree).withEntry('patches', { path, target: targetOf(aim) }).tree, file }
}

const styleOf = (kustomization: Kustomization, file: string) =>
  styleBeside(kustomization.tree, kustomization.file, file)

const targetOf = ({ object, name }: Aim): JsonMap => ({ kind: object.kind, name })

function* jsonPatch(aim: Aim, operation: JsonMap): Generator<Landing> {
  const patch = printDocument([operation], styleOf(aim.kustomization, ''))
  yield landed(aim.kustomization.withEntry('patches', { target: targetOf(aim), patch }))
}

/** `replaced` is the text of the manifest whose place the object takes: what its comments say is kept. */
function* createLandings(
  { kustomization, names }: Pick<Aim, 'kustomization' | 'names'>,
  object: KubernetesObject,
  replaced: string | null = null,
): Generator<Landing> {
  const { name: wanted } = object.metadata
  for (const name of namesBefore(kustomization, wanted)) {
    const file = freePath(kustomization.tree, kustomization.path(fileStem(name, object.kind)), '.yaml')
    const written = { ...object, metadata: { ...object.metadata, name } }
    for (const content of [withOriginalNames(written, names), written]) {
      const text =
        replaced === null ? printDocument(content, styleOf(kustomization, file)) : replaceObject(replaced, content)
      const tree = kustomization.tree.with(file, text)
      yield { tree: kustomization.in(tree).withEntry('resources', posix.basename(file)).tree, file }
    }
  }
}

/** Fields by which an object names another one of its namespace. */
const REFERENCES = new Set(['name', 'claimName', 'secretName', 'serviceName', 'serviceAccountName'])

/**
 * The object with the names of others as they stand in the manifests: Kustomize follows those when it changes a name, so
 * that no hash of a generated ConfigMap is written down.
 */
function withOriginalNames(object: KubernetesObject, names: ReadonlyMap<string, string>): KubernetesObject {
  const renamed = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(renamed)
    if (!isMap(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const original = REFERENCES.has(key) && typeof item === 'string' ? names.get(item) : undefined
        return [key, original ?? renamed(item)]
      }),
    )
  }
  return { ...object, spec: renamed(object.spec ?? {}) }
}

/** Names from which the kustomization's prefix and suffix may make a name, the likeliest first. */
function namesBefore(kustomization: Kustomization, name: string): string[] {
  const prefix = textAt(kustomization.value, 'namePrefix') ?? ''
  const suffix = textAt(kustomization.value, 'nameSuffix') ?? ''
  const isMade = name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  const bare = isMade ? name.slice(prefix.length, name.length - suffix.length) : name
  return [...new Set([bare, name])]
}

function* deleteLandings(aim: Aim): Generator<Landing> {
  const { kustomization, entry } = aim
  const { file } = entry.source
  if (ownObject(aim)) {
    const tree = withoutObject(kustomization.tree, entry)
    yield { tree: tree.has(file) ? tree : withoutResource(kustomization.in(tree), file), file }
  }
  yield* newPatches(aim, { ...headOf(aim), $patch: 'delete' }, 'removal')
}

const withoutResource = (kustomization: Kustomization, path: string): FileTree =>
  kustomization.with(
    ['resources'],
    kustomization.list('resources').filter((e) => typeof e !== 'string' || kustomization.path(e) !== path),
  ).tree

/** The text of the manifest of which an object was made; null for what a generator or a list gave. */
function manifestOf({ entry: { source, origin }, kustomization: { tree } }: Aim): string | null {
  const isGenerated = origin?.kind === 'kustomize' && origin.generated
  if (origin?.kind !== 'kustomize' || isGenerated || source.itemIndex !== null || !tree.has(source.file)) return null
  return splitDocuments(tree.file(source.file).content)[source.docIndex]?.replace(/^---.*\n/, '') ?? null
}

function* replaceLandings(aim: Aim, object: KubernetesObject): Generator<Landing> {
  const written = ownObject(aim)
  if (written) {
    const wanted = { ...object, metadata: written.metadata } as KubernetesObject
    yield { tree: withReplaced(aim.kustomization.tree, aim.entry, wanted), file: aim.entry.source.file }
  }
  for (const removed of deleteLandings(aim)) {
    yield* createLandings({ ...aim, kustomization: aim.kustomization.in(removed.tree) }, object, manifestOf(aim))
  }
}
