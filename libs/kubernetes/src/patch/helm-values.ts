import { posix } from 'node:path'
import { valueAt } from '../input/json-pointer.js'
import { isMap, type Json, type JsonMap, type KubernetesObject } from '../input/kubernetes-object.js'
import { type HelmRelease } from '../input/project.js'
import { parseYamlFile } from '../input/yaml-file.js'
import { type FileTree } from './file-tree.js'
import { isSameJson } from './object-difference.js'

/** The file of a chart that holds its own values. */
export const ownValues = ({ chart }: HelmRelease): string => posix.join(chart, 'values.yaml')

export function valuesOf(tree: FileTree, file: string): JsonMap {
  if (!tree.has(file)) return {}
  const value = parseYamlFile(tree.file(file)).documents.find((d) => isMap(d.value))?.value
  return isMap(value) ? value : {}
}

/** The values with which a release is rendered: the chart's and its parts' own, then its files', then what it sets. */
export function effectiveValues(tree: FileTree, release: HelmRelease): JsonMap {
  const parts = tree.bundle().files.flatMap(({ path }) => {
    const part = partOf(release.chart, path)
    return part === null ? [] : [{ [part]: valuesOf(tree, path) }]
  })
  const files = [ownValues(release), ...release.values].map((file) => valuesOf(tree, file))
  return [...parts, ...files, release.set].reduce<JsonMap>(merged, {})
}

/** `charts/db/values.yaml` below a chart → `db`, under which the chart's own values set those of that part. */
function partOf(chart: string, path: string): string | null {
  const [folder, part, file, ...more] = posix.relative(chart, path).split('/')
  return folder === 'charts' && file === 'values.yaml' && !more.length ? (part ?? null) : null
}

function merged(base: JsonMap, over: JsonMap): JsonMap {
  const entries = Object.entries(over).map(([key, value]): [string, Json] => {
    const below = base[key]
    return [key, isMap(value) && isMap(below) ? merged(below, value) : value]
  })
  return { ...base, ...Object.fromEntries(entries) }
}

/** What a rendered object shows of a field that is to change. */
interface Field {
  readonly object: KubernetesObject
  readonly path: readonly string[]
  /** The text of the template that gave the object. */
  readonly template: string
}

interface Candidate {
  readonly path: string[]
  readonly rank: number
}

/** The deepest level of values that is looked at. */
const MAX_DEPTH = 8

/**
 * Paths of values that may give a field, the likeliest first: those that hold what the field, or something around it,
 * shows; for a field that is not there yet, those of a like name that are empty or that the template names. Whether one
 * of them does is for the renderer to say.
 */
export function likelyValues(values: JsonMap, field: Field): string[][] {
  const named = referencesIn(field.template)
  const known = pathsOf(values)
  const candidates = field.path.flatMap((_, index) => {
    const depth = field.path.length - index
    return candidatesAt(
      { ...field, depth },
      [...known, ...named.filter((path) => valueAt(values, path) === undefined)],
      values,
    )
  })
  const isNamed = (path: readonly string[]): boolean => named.some((n) => n.every((key, i) => path[i] === key))
  const ranked = candidates.map(({ path, rank }) => ({ path, rank: rank - (isNamed(path) ? 1 : 0) }))
  const unique = new Map(ranked.sort((a, b) => a.rank - b.rank).map(({ path }) => [path.join('\0'), path]))
  return [...unique.values()]
}

/** Candidates for what stands `depth` segments down the field's path; what is left of the path is looked for below. */
function candidatesAt(
  { object, path, depth }: Field & { depth: number },
  known: readonly (readonly string[])[],
  values: JsonMap,
): Candidate[] {
  const shown = valueAt(object, path.slice(0, depth))
  const name = path[depth - 1] ?? ''
  return known.flatMap((candidate) => {
    const value = valueAt(values, candidate)
    const isAlike = alike(candidate.at(-1) ?? '', name)
    const fits = shown === undefined ? isEmpty(value) && isAlike : isSame(value, shown)
    if (!fits) return []
    return [{ path: [...candidate, ...path.slice(depth)], rank: (isAlike ? 0 : 2) + (path.length - depth) * 4 }]
  })
}

/** `replicaCount` and `replicas`, `readinessProbe` and `customReadinessProbe`. */
function alike(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase().replace(/s$/, '')]
  return y.length > 2 && (x.includes(y) || y.includes(x.replace(/s$/, '')))
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || isSameJson(value, {}) || isSameJson(value, [])

/** Templates quote, so 8080 may show as '8080'. */
const isSame = (value: Json | undefined, shown: Json): boolean =>
  value !== undefined &&
  (isSameJson(value, shown) ||
    (!isContainer(value) && !isContainer(shown) && value !== null && String(value) === String(shown)))

const isContainer = (value: Json): value is JsonMap | Json[] => typeof value === 'object' && value !== null

/** Every path of a map and of the maps in it. */
function pathsOf(values: JsonMap, above: readonly string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...above, key]
    return [path, ...(isMap(value) && path.length < MAX_DEPTH ? pathsOf(value, path) : [])]
  })
}

/** The values that a template names: `.Values.web.replicas`. */
const referencesIn = (template: string): string[][] =>
  [...template.matchAll(/\.Values((?:\.[A-Za-z_][\w-]*)+)/g)].map((match) => (match[1] ?? '').slice(1).split('.'))
