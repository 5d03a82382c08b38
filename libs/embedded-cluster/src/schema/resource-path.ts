import { definitionOf, EVENTS_VIEW, RESOURCES, type ResourceDefinition, type Subresource } from './resources.js'

/** A path of the Kubernetes API that names a collection, an object or a part of one. */
export interface ResourcePath {
  readonly definition: ResourceDefinition
  /** Null: cluster-scoped, or the collection over all namespaces. */
  readonly namespace: string | null
  readonly name: string | null
  readonly subresource: Subresource | null
}

const byPath = new Map([...RESOURCES, EVENTS_VIEW].map((definition) => [pathKey(definition), definition]))
const SUBRESOURCES: readonly string[] = ['status', 'scale', 'log', 'eviction']

function pathKey({ group, version, plural }: { group: string; version: string; plural: string }): string {
  return `${group}/${version}/${plural}`
}

/**
 * Reads `/api/v1/…` or `/apis/GROUP/VERSION/…`, without a query. Null when it names nothing that the embedded cluster
 * has.
 */
export function parseResourcePath(path: string, custom: readonly ResourceDefinition[] = []): ResourcePath | null {
  const [root, ...rest] = decode(path) ?? []
  if (root === 'api') return inVersion({ group: '', version: rest[0] ?? '', custom }, rest.slice(1))
  if (root === 'apis') return inVersion({ group: rest[0] ?? '', version: rest[1] ?? '', custom }, rest.slice(2))
  return null
}

/** `namespaces/NAME` is an object; `namespaces/NAME/PLURAL…` is what the namespace holds. */
interface Api {
  readonly group: string
  readonly version: string
  readonly custom: readonly ResourceDefinition[]
}

function inVersion(api: Api, rest: readonly string[]): ResourcePath | null {
  const [first, namespace = '', third] = rest
  const isInside = first === 'namespaces' && third !== undefined && !SUBRESOURCES.includes(third)
  return isInside ? target(api, namespace, rest.slice(2)) : target(api, null, rest)
}

function decode(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    return null
  }
}

function target(api: Api, namespace: string | null, rest: readonly string[]): ResourcePath | null {
  const [plural = '', name = null, subresource = null, ...more] = rest
  const key = pathKey({ ...api, plural })
  const definition = byPath.get(key) ?? api.custom.find((one) => pathKey(one) === key)
  if (!definition || more.length > 0 || !fitsScope(definition, namespace, name)) return null
  if (subresource !== null && !definition.subresources.includes(subresource as Subresource)) return null
  return { definition, namespace, name, subresource: subresource as Subresource | null }
}

/** An object of a namespace needs one, except in the collection over all of them; others must have none. */
function fitsScope(definition: ResourceDefinition, namespace: string | null, name: string | null): boolean {
  if (!definition.namespaced) return namespace === null
  return namespace !== null || name === null
}

/** The path of an object's collection, as clients would write it. */
export function collectionPath(key: ResourceDefinition['key'], namespace: string | null): string {
  const { group, version, plural } = definitionOf(key)
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`
  return namespace === null ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`
}
