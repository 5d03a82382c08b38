import { InputError } from '@ordeal/shared'
import { listIndex, parsePointer, valueAt, withValueAt } from './json-pointer.js'
import { isMap, type Json, type JsonMap, mapsAt, textAt } from './kubernetes-object.js'
import { placeOf, type SkaffoldConfig } from './skaffold-config.js'

/** The sections of a profile that say which manifests are used; others (build, test) do not matter here. */
const SECTIONS = ['manifests', 'deploy'] as const

export const profileNames = (config: SkaffoldConfig): string[] =>
  mapsAt(config.value, 'profiles').flatMap((profile) => textAt(profile, 'name') ?? [])

/** The config as it is with these profiles: first their sections, laid over its own, then their patches. */
export function withProfiles(config: SkaffoldConfig, active: readonly string[]): JsonMap {
  return profilesOf(config, active).reduce<JsonMap>((value, { profile, index }) => {
    return patched(config, overlaid(value, profile), profile, index)
  }, config.value)
}

/** The active profiles of a config with their places in its list, in its order. */
export function profilesOf(config: SkaffoldConfig, active: readonly string[]): { profile: JsonMap; index: number }[] {
  const list = Array.isArray(config.value.profiles) ? config.value.profiles : []
  return list.flatMap((profile, index) =>
    isMap(profile) && active.includes(textAt(profile, 'name') ?? '') ? [{ profile, index }] : [],
  )
}

function overlaid(value: JsonMap, profile: JsonMap): JsonMap {
  return SECTIONS.reduce<JsonMap>((sum, section) => {
    const over = profile[section]
    return isMap(over) ? { ...sum, [section]: merge(sum[section], over) } : sum
  }, value)
}

/** Skaffold merges maps field by field and takes a profile's list in place of the base's. */
function merge(base: Json | undefined, over: JsonMap): JsonMap {
  const entries = Object.entries(over).map(([key, value]): [string, Json] => {
    const below = isMap(base) ? base[key] : undefined
    return [key, isMap(value) ? merge(below, value) : value]
  })
  return { ...(isMap(base) ? base : {}), ...Object.fromEntries(entries) }
}

function patched(config: SkaffoldConfig, value: JsonMap, profile: JsonMap, profileIndex: number): JsonMap {
  return mapsAt(profile, 'patches').reduce<JsonMap>((sum, patch, index) => {
    const place = placeOf(config, ['profiles', String(profileIndex), 'patches', String(index)])
    const result = applyPatch(sum, patch, place)
    return isMap(result) ? result : sum
  }, value)
}

function applyPatch(value: JsonMap, patch: JsonMap, place: string): Json | undefined {
  const path = parsePointer(textAt(patch, 'path') ?? '')
  const op = textAt(patch, 'op') ?? 'replace'
  if (op === 'add') return add(value, path, patch.value)
  if (op !== 'replace' && op !== 'remove') throw new InputError(`the patch operation '${op}' is not supported`, place)
  if (valueAt(value, path) === undefined)
    throw new InputError(`there is nothing at ${textAt(patch, 'path')} to ${op}`, place)
  return withValueAt(value, path, op === 'remove' ? undefined : patch.value)
}

/** `add` at an index of a list moves what stands there one on. */
function add(value: JsonMap, path: readonly string[], item: Json | undefined): Json | undefined {
  const parent = path.slice(0, -1)
  const list = valueAt(value, parent)
  if (!Array.isArray(list) || item === undefined) return withValueAt(value, path, item)
  const index = listIndex(path.at(-1) ?? '-', list.length) ?? list.length
  return withValueAt(value, parent, [...list.slice(0, index), item, ...list.slice(index)])
}
