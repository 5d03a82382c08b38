import { parseResourcePath } from '../schema/resource-path.js'
import { parseLabelSelector } from '../schema/selectors.js'
import { ApiError } from '../store/api-error.js'
import { type StoredObject } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'

/**
 * Lists a collection by its API path, with `labelSelector`: what programs inside the cluster read. Throws ApiError 404
 * for a path that is no collection.
 */
export function readList(store: ObjectStore, path: string): StoredObject[] {
  const [collection = '', query = ''] = path.split('?')
  const found = parseResourcePath(collection, store.customDefinitions)
  if (!found || found.name !== null) {
    throw new ApiError(404, 'NotFound', `the server could not find the requested resource (${path})`)
  }
  const matches = parseLabelSelector(new URLSearchParams(query).get('labelSelector') ?? '')
  return store.list(found.definition.key, found.namespace).filter(({ metadata }) => matches(metadata.labels))
}
