import { InputError } from '@ordeal/shared'
import { isMap, type Json, type JsonMap, type KubernetesObject, mapAt, textAt } from './kubernetes-object.js'
import { type SourcedObject } from './project.js'
import { offsetAt, parseYamlFile, type TextFile, type YamlFile } from './yaml-file.js'

/** Documents of tools that share a folder with manifests but are none. */
const TOOL_API =
  /^(skaffold|kustomize\.config\.k8s\.io|kustomize\.toolkit\.fluxcd\.io|kind\.x-k8s\.io|argoproj\.io\/v1alpha1\/cmp)\//

/** What objectId of the contracts accepts, so that every later artefact is valid. */
const NAME = /^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/

export const isManifestName = (path: string): boolean =>
  /\.(ya?ml|json)$/i.test(path) && !/(^|\/)ordeal\.yaml$/.test(path)

/** Reads the objects of a manifest file, in order. Throws InputError with file and line. */
export function readManifestFile(file: TextFile): SourcedObject[] {
  const yaml = parseYamlFile(file)
  return yaml.documents.flatMap(({ value }, docIndex) => readDocument({ file, yaml, docIndex }, value))
}

interface At {
  readonly file: TextFile
  readonly yaml: YamlFile
  readonly docIndex: number
}

function placeOf(at: At, path: readonly string[]): { file: string; line: number } {
  const document = at.yaml.documents[at.docIndex]?.document
  return { file: at.file.path, line: document ? at.yaml.lineAt(offsetAt(document, path)) : 1 }
}

function readDocument(at: At, value: Json): SourcedObject[] {
  if (value === null) return []
  const map = requireMap(at, value, [])
  if (TOOL_API.test(textAt(map, 'apiVersion') ?? '')) return []
  const items = itemsOf(map)
  if (items === null) return [sourced(at, map, null)]
  return items.map((item, index) => sourced(at, requireMap(at, item, ['items', String(index)]), index))
}

/** The items of an object of kind List, or of the list of a kind; null for any other object. */
export function itemsOf(map: JsonMap): Json[] | null {
  if (!(textAt(map, 'kind') ?? '').endsWith('List')) return null
  if (Array.isArray(map.items)) return map.items
  return map.kind === 'List' && (map.items ?? null) === null ? [] : null
}

function requireMap(at: At, value: Json, path: readonly string[]): JsonMap {
  if (isMap(value)) return value
  const { file, line } = placeOf(at, path)
  throw new InputError('not a Kubernetes object but ' + describe(value), `${file}:${line}`)
}

const describe = (value: Json): string => (Array.isArray(value) ? 'a list' : `a ${typeof value}`)

function sourced(at: At, map: JsonMap, itemIndex: number | null): SourcedObject {
  const path = itemIndex === null ? [] : ['items', String(itemIndex)]
  const place = placeOf(at, path)
  return {
    object: requireObject(map, `${place.file}:${place.line}`),
    source: { ...place, docIndex: at.docIndex, itemIndex },
  }
}

/** The map as an object. Throws InputError with the place when it is none that Kubernetes would take. */
export function requireObject(map: JsonMap, place: string): KubernetesObject {
  const [apiVersion, kind, name] = [
    textAt(map, 'apiVersion'),
    textAt(map, 'kind'),
    textAt(mapAt(map, 'metadata'), 'name'),
  ]
  if (!apiVersion && !kind) {
    throw new InputError(
      'not a Kubernetes manifest: it has neither apiVersion nor kind',
      place,
      'Move the file elsewhere',
    )
  }
  if (!kind) throw new InputError('an object without a kind', place)
  if (!apiVersion) throw new InputError(`a ${kind} without an apiVersion`, place)
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(kind)) throw new InputError(`'${kind}' is not a kind`, place)
  if (!name) throw nameless(kind, mapAt(map, 'metadata').name, place)
  if (!NAME.test(name)) throw new InputError(`'${name}' is not a name that Kubernetes accepts`, place)
  return map as KubernetesObject
}

/** YAML 1.1, which Kubernetes reads, takes `on`, `no` or `12` for something else than a text. */
function nameless(kind: string, given: Json | undefined, place: string): InputError {
  if (typeof given !== 'boolean' && typeof given !== 'number') {
    return new InputError(`a ${kind} without a name`, place, 'Give it metadata.name')
  }
  return new InputError(`the name of a ${kind} reads as the ${typeof given} ${given}`, place, 'Put it in quotes')
}
