/** A value as JSON knows it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonMap = { [key: string]: Json }

/** An object of the Kubernetes API as plain JSON. */
export interface KubernetesObject {
  [field: string]: Json
  apiVersion: string
  kind: string
  metadata: JsonMap & { name: string }
}

export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The map at a field, or an empty one. */
export const mapAt = (value: Json | undefined, ...path: string[]): JsonMap => {
  const found = path.reduce<Json | undefined>((v, key) => (isMap(v) ? v[key] : undefined), value)
  return isMap(found) ? found : {}
}

/** The maps of the list at a field; whatever else stands there is left out. */
export const mapsAt = (value: Json | undefined, field: string): JsonMap[] => {
  const found = isMap(value) ? value[field] : undefined
  return Array.isArray(found) ? found.filter(isMap) : []
}

export const textAt = (value: Json | undefined, field: string): string | null => {
  const found = isMap(value) ? value[field] : undefined
  return typeof found === 'string' ? found : null
}

/** The texts of the list at a field; whatever else stands there is left out. */
export const textsAt = (value: Json | undefined, field: string): string[] => {
  const list = isMap(value) ? value[field] : undefined
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

export const numberAt = (value: Json | undefined, field: string): number | null => {
  const found = isMap(value) ? value[field] : undefined
  return typeof found === 'number' ? found : null
}

/** A map of strings, such as labels; entries of other types are left out. */
export const stringsAt = (value: Json | undefined, ...path: string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(mapAt(value, ...path)).filter((e): e is [string, string] => typeof e[1] === 'string'),
  )

/** `Kind/name`, the id of an object within an application. */
export const idOf = (object: KubernetesObject): string => `${object.kind}/${object.metadata.name}`

/** The name in an id `Kind/name`. */
export const nameOf = (id: string): string => id.slice(id.indexOf('/') + 1)

/** True when every wanted label is there. An empty selector selects nothing, as in a Service. */
export const selects = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([key, value]) => labels[key] === value)
