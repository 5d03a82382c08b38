import { RESOURCES, type ResourceDefinition } from '../schema/resources.js'
import { parseLabelSelector } from '../schema/selectors.js'
import { ApiError } from '../store/api-error.js'
import { type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'

const PATH = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/([^/]+)\/)?([^/?]+)(?:\?(.*))?$/

/**
 * Lists a collection by its API path, with `labelSelector`: what programs inside the cluster read. Throws ApiError 404
 * for a path that is no collection.
 */
export function readList(store: ObjectStore, path: string): StoredObject[] {
  const [, group = '', version = '', namespace = null, plural = '', query = ''] = PATH.exec(path) ?? []
  const definition = RESOURCES.find((candidate) => isAt(candidate, { group, version, plural }))
  if (!definition) throw new ApiError(404, 'NotFound', `the server could not find the requested resource (${path})`)
  const matches = parseLabelSelector(new URLSearchParams(query).get('labelSelector') ?? '')
  return store.list(definition.key, namespace).filter(({ metadata }) => matches(metadata.labels))
}

function isAt(definition: ResourceDefinition, at: { group: string; version: string; plural: string }): boolean {
  return definition.group === at.group && definition.version === at.version && definition.plural === at.plural
}
