import { definitionOf, RESOURCES, type ResourceDefinition, type Subresource } from '../schema/resources.js'

/** A path of the Kubernetes API that names a collection, an object or a part of one. */
export interface ResourcePath {
  readonly definition: ResourceDefinition
  /** Null: cluster-scoped, or the collection over all namespaces. */
  readonly namespace: string | null
  readonly name: string | null
  readonly subresource: Subresource | null
}

const byPath = new Map(RESOURCES.map((definition) => [pathKey(definition), definition]))
// The newer API of events shows the same objects; the embedded cluster serves it for reading with the older fields.
const SUBRESOURCES: readonly string[] = ['status', 'scale', 'log']

function pathKey({ group, version, plural }: { group: string; version: string; plural: string }): string {
  return `${group}/${version}/${plural}`
}

/**
 * Reads `/api/v1/…` or `/apis/GROUP/VERSION/…`, without a query. Null when it names nothing that the embedded cluster
 * has.
 */
export function parseResourcePath(path: string): ResourcePath | null {
  const parts = decode(path)
  if (!parts) return null
  const [root, ...rest] = parts
  const group = root === 'apis' ? (rest.shift() ?? '') : ''
  const version = rest.shift() ?? ''
  if (root !== 'api' && root !== 'apis') return null
  return rest[0] === 'namespaces' && rest.length > 2 && !SUBRESOURCES.includes(rest[2] ?? '')
    ? target({ group, version }, rest[1] ?? '', rest.slice(2))
    : target({ group, version }, null, rest)
}

function decode(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    return null
  }
}

function target(
  api: { group: string; version: string },
  namespace: string | null,
  rest: readonly string[],
): ResourcePath | null {
  const [plural = '', name = null, subresource = null, ...more] = rest
  const definition = byPath.get(pathKey({ ...api, plural }))
  if (!definition || more.length > 0) return null
  if (definition.namespaced ? namespace === null && name !== null : namespace !== null) return null
  if (subresource !== null && !definition.subresources.includes(subresource as Subresource)) return null
  return { definition, namespace, name, subresource: subresource as Subresource | null }
}

/** The path of an object's collection, as clients would write it. */
export function collectionPath(key: ResourceDefinition['key'], namespace: string | null): string {
  const { group, version, plural } = definitionOf(key)
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`
  return namespace === null ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`
}
