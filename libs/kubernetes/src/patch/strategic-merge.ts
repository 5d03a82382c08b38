import { isMap, type Json } from '../input/kubernetes-object.js'

/** The fields by which Kubernetes tells the items of a list apart when it merges two of them. */
const MERGE_KEYS: Record<string, readonly string[]> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  imagePullSecrets: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  ports: ['containerPort', 'port'],
}

/** A place in a rendered object, and what a strategic merge patch for it has there so far. */
interface Place {
  readonly patch: Json | undefined
  readonly rendered: Json | undefined
  /** The field in which `rendered` stands. */
  readonly field: string
}

/**
 * A strategic merge patch with `after` at a path of the rendered object, items of lists told apart by their key; null
 * where a list on the way has none, or a whole item would be set.
 */
export function withMerged(place: Place, path: readonly string[], after: Json): Json | null {
  const [segment, ...rest] = path
  if (segment === undefined) return after
  if (Array.isArray(place.rendered)) return rest.length ? withMergedItem(place, [segment, ...rest], after) : null
  const own = isMap(place.patch) ? place.patch : {}
  const next = { patch: own[segment], rendered: fieldOf(place.rendered, segment), field: segment }
  const below = withMerged(next, rest, after)
  return below === null && !(rest.length === 0 && after === null) ? null : { ...own, [segment]: below }
}

function withMergedItem(place: Place, [segment = '', ...rest]: readonly string[], after: Json): Json | null {
  const item = (place.rendered as Json[])[Number(segment)]
  const identity = identityOf(place.field, item)
  if (!identity) return null
  const items = Array.isArray(place.patch) ? place.patch : []
  const index = items.findIndex((known) => isMap(known) && known[identity.key] === identity.value)
  const known = index < 0 ? { [identity.key]: identity.value } : items[index]
  const below = withMerged({ patch: known, rendered: item, field: '' }, rest, after)
  if (below === null) return null
  return index < 0 ? [...items, below] : items.with(index, below)
}

/** The path in a strategic merge patch that stands for a path of the rendered object; null where it has nothing there. */
export function mergedPath(place: Place, path: readonly string[]): string[] | null {
  const [segment, ...rest] = path
  if (segment === undefined) return place.patch === undefined ? null : []
  const step = Array.isArray(place.rendered) ? stepInList(place, segment) : stepInMap(place, segment)
  const below = step && mergedPath(step, rest)
  return below && [step.segment, ...below]
}

type Step = Place & { readonly segment: string }

function stepInMap({ patch, rendered }: Place, segment: string): Step | null {
  if (!isMap(patch) || patch[segment] === undefined) return null
  return { patch: patch[segment], rendered: fieldOf(rendered, segment), field: segment, segment }
}

function stepInList({ patch, rendered, field }: Place, segment: string): Step | null {
  const item = (rendered as Json[])[Number(segment)]
  const identity = identityOf(field, item)
  if (!identity || !Array.isArray(patch)) return null
  const index = patch.findIndex((known) => isMap(known) && known[identity.key] === identity.value)
  return index < 0 ? null : { patch: patch[index], rendered: item, field: '', segment: String(index) }
}

function identityOf(field: string, item: Json | undefined): { key: string; value: Json } | null {
  if (!isMap(item)) return null
  const key = (MERGE_KEYS[field] ?? []).find((candidate) => item[candidate] !== undefined)
  const value = key === undefined ? undefined : item[key]
  return key === undefined || value === undefined ? null : { key, value }
}

const fieldOf = (value: Json | undefined, field: string): Json | undefined => (isMap(value) ? value[field] : undefined)
