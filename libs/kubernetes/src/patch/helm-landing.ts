import { posix } from 'node:path'
import { parsePointer, valueAt, withValueAt } from '../input/json-pointer.js'
import { isMap, type Json, type JsonMap, type KubernetesObject, mapAt, mapsAt } from '../input/kubernetes-object.js'
import { type HelmRelease } from '../input/project.js'
import { postRenderFile, postRenderStart } from '../input/post-render.js'
import { parseYamlFile } from '../input/yaml-file.js'
import { wholeObject } from './apply-to-objects.js'
import { styleBeside } from './document-landing.js'
import { type FileTree, freePath } from './file-tree.js'
import { effectiveValues, likelyValues, ownValues, valuesOf } from './helm-values.js'
import { kustomizeLandings } from './kustomize-landing.js'
import { type Landing, type Situation } from './landing.js'
import { fileStem } from './placement.js'
import { printDocument } from './print-yaml.js'

/** More values than this are not tried for one change: each costs a rendering. */
const MAX_VALUES = 24

/**
 * Ways to write a change into a chart, the most natural first: as a value, where one does exactly that; as a template of
 * its own for a new object; else as a patch of what the chart renders, in its `post-render` folder.
 */
export function* helmLandings(situation: Situation, release: HelmRelease): Generator<Landing> {
  const { change } = situation
  if (change.kind === 'create') {
    yield* templateLandings(situation.tree, release, wholeObject(change))
    return
  }
  if (change.kind === 'edit') yield* valueLandings(situation, release)
  const object = change.kind === 'replace' ? wholeObject(change) : situation.entry.object
  const isOther = object.kind !== situation.entry.object.kind
  if (!isOther) yield* postRenderLandings(situation, release)
  else yield* movedLandings(situation, release, object)
}

/** An object of another kind is a template of its own, and the old one is taken out of what the chart renders. */
function* movedLandings(situation: Situation, release: HelmRelease, object: KubernetesObject): Generator<Landing> {
  const removal = { ...situation, change: { ...situation.change, kind: 'delete' as const, path: '', after: undefined } }
  const comments = commentsIn(situation)
  for (const { tree } of postRenderLandings(removal, release)) yield* templateLandings(tree, release, object, comments)
}

/** What the comments of the template say that gave the old object. */
function commentsIn({ tree, entry: { source } }: Situation): string {
  const lines = tree.has(source.file) ? tree.file(source.file).content.split(/\r?\n/) : []
  return lines.flatMap((line) => (/^\s*#/.test(line) ? `${line.trim()}\n` : [])).join('')
}

function* postRenderLandings(situation: Situation, { chart }: HelmRelease): Generator<Landing> {
  const { tree, entry } = situation
  const file = postRenderFile(chart)
  const started = tree.has(file) ? tree : tree.with(file, postRenderStart)
  yield* kustomizeLandings({ ...situation, tree: started }, { file, originalName: entry.object.metadata.name })
}

function* valueLandings({ change, tree, entry }: Situation, release: HelmRelease): Generator<Landing> {
  const path = parsePointer(change.path)
  const after = change.after as Json | undefined
  if (after === undefined) return
  const template = tree.has(entry.source.file) ? tree.file(entry.source.file).content : ''
  const likely = likelyValues(effectiveValues(tree, release), { object: entry.object, path, template })
  for (const value of likely.slice(0, MAX_VALUES)) {
    const landing = withValue(tree, release, { path: value, after })
    if (landing) yield landing
  }
}

interface Value {
  readonly path: readonly string[]
  readonly after: Json
}

/**
 * Where the value is set now. The chart's own values are the default of every installation: where files were given that
 * do not set it, the last of them does.
 */
function withValue(tree: FileTree, release: HelmRelease, value: Value): Landing | null {
  if (valueAt(release.set, value.path) !== undefined) return inSkaffold(tree, release, value)
  const given = [...release.values].reverse()
  const setting = given.find((file) => valueAt(valuesOf(tree, file), value.path) !== undefined)
  const file = setting ?? given[0] ?? ownValues(release)
  if (!tree.has(file)) return { tree: tree.with(file, printNew(tree, file, nested(value))), file }
  const docIndex = Math.max(
    0,
    parseYamlFile(tree.file(file)).documents.findIndex((d) => isMap(d.value)),
  )
  const wanted = withValueAt(valuesOf(tree, file), value.path, value.after) ?? {}
  return { tree: tree.withValue({ file, docIndex }, wanted), file }
}

const nested = ({ path, after }: Value): Json => withValueAt({}, path, after) ?? {}

const printNew = (tree: FileTree, file: string, value: Json): string =>
  printDocument(value, styleBeside(tree, posix.join(posix.dirname(file), 'Chart.yaml'), file))

const RELEASES = [
  ['manifests', 'helm'],
  ['deploy', 'helm'],
] as const
const SETTING = ['setValues', 'setValueTemplates'] as const

/** The entry of a Skaffold file that sets the value; its key may be written with dots. */
function inSkaffold(tree: FileTree, { name }: HelmRelease, { path, after }: Value): Landing | null {
  for (const { path: file } of tree.bundle().files.filter((f) => /(^|\/)skaffold\.ya?ml$/.test(f.path))) {
    for (const [docIndex, { value }] of parseYamlFile(tree.file(file)).documents.entries()) {
      const at = RELEASES.flatMap((section) => settingIn(value, section, { name, path }))[0]
      if (at) return { tree: tree.withValue({ file, docIndex }, withValueAt(value, at, after) ?? null), file }
    }
  }
  return null
}

function settingIn(
  value: Json,
  section: readonly string[],
  wanted: { name: string; path: readonly string[] },
): string[][] {
  return mapsAt(mapAt(value, ...section), 'releases').flatMap((release, index) => {
    if (release.name !== wanted.name) return []
    const found = SETTING.flatMap((field) => {
      const keys = [[wanted.path.join('.')], [...wanted.path]]
      return keys.filter((key) => valueAt(release[field], key) !== undefined).map((key) => [field, ...key])
    })
    return found.map((key) => [...section, 'releases', String(index), ...key])
  })
}

/** Stands for the release's name until the text is made a template. */
const RELEASE = 'ordeal-release-name'

function* templateLandings(
  tree: FileTree,
  release: HelmRelease,
  object: KubernetesObject,
  head = '',
): Generator<Landing> {
  const stem = posix.join(release.chart, 'templates', fileStem(unprefixed(object, release), object.kind))
  const file = freePath(tree, stem, '.yaml')
  for (const written of [withRelease(object, release), object]) {
    const printed = printDocument(written, styleBeside(tree, ownValues(release), file))
    const text = (head + printed).replaceAll('{{', '{{ "{{" }}').replaceAll(RELEASE, '{{ .Release.Name }}')
    yield { tree: tree.with(file, text), file }
  }
}

const isPrefixed = (name: Json | undefined, { name: release }: HelmRelease): name is string =>
  typeof name === 'string' && name.startsWith(`${release}-`)

const unprefixed = ({ metadata }: KubernetesObject, release: HelmRelease): string =>
  isPrefixed(metadata.name, release) ? metadata.name.slice(release.name.length + 1) : metadata.name

/** The object as it is called in any release: names that begin with this one's name take the release's. */
function withRelease(object: KubernetesObject, release: HelmRelease): KubernetesObject {
  const renamed = (name: string): string => `${RELEASE}${name.slice(release.name.length)}`
  const { name } = object.metadata
  const target = mapAt(object, 'spec', 'scaleTargetRef')
  const metadata = isPrefixed(name, release) ? { ...object.metadata, name: renamed(name) } : object.metadata
  if (!isPrefixed(target.name, release)) return { ...object, metadata }
  const spec: JsonMap = { ...mapAt(object, 'spec'), scaleTargetRef: { ...target, name: renamed(target.name) } }
  return { ...object, metadata, spec }
}
