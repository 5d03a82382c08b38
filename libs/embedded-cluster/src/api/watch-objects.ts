import type { ResourceDefinition } from '../schema/resources.js'
import { apiVersionOf } from '../schema/resources.js'
import { badRequest, expired } from '../store/api-error.js'
import type { Change, StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import { filterOf, type Filter } from './filter.js'
import type { ResourcePath } from '../schema/resource-path.js'

/** One line of a watch before it is rendered. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: StoredObject
}

export interface Watch {
  /** What is there to tell at once. */
  readonly initial: readonly WatchEvent[]
  /** Tells of every later change, until the returned function is called. */
  follow(listener: (event: WatchEvent) => void): () => void
  /** A bookmark of now. */
  bookmark(): WatchEvent
}

/**
 * A watch of a collection from a version on. Without a version it starts with what is there, as ADDED. An object that
 * moves in or out of the selectors comes as ADDED or DELETED. Throws ApiError 400, and 410 for a version too old.
 */
export function watchObjects(store: ObjectStore, path: ResourcePath, query: URLSearchParams): Watch {
  const { definition, namespace } = path
  const byQuery = filterOf(definition, query)
  const filter: Filter = (object) =>
    (namespace === null || object.metadata.namespace === namespace) &&
    (path.name === null || object.metadata.name === path.name) &&
    byQuery(object)
  return {
    initial: initialEvents(store, definition, query, filter),
    follow: (listener) =>
      store.observe(definition.key, (change) => {
        const event = seen(change, filter)
        if (event) listener(event)
      }),
    bookmark: () => bookmark(definition, store.resourceVersion),
  }
}

function initialEvents(
  store: ObjectStore,
  definition: ResourceDefinition,
  query: URLSearchParams,
  filter: Filter,
): WatchEvent[] {
  const version = query.get('resourceVersion') ?? ''
  if (!/^\d*$/.test(version)) throw badRequest(`invalid resource version ${JSON.stringify(version)}`)
  const asked = query.get('sendInitialEvents') === 'true'
  if (!asked && version !== '' && version !== '0') return missed(store, definition, version, filter)
  const there = store.list(definition.key).filter(filter)
  const events: WatchEvent[] = there.map((object) => ({ type: 'ADDED', object }))
  return asked ? [...events, bookmark(definition, store.resourceVersion, true)] : events
}

function missed(store: ObjectStore, definition: ResourceDefinition, version: string, filter: Filter): WatchEvent[] {
  const changes = store.changesSince(definition.key, version)
  if (changes === 'expired') throw expired(`too old resource version: ${version} (${store.resourceVersion})`)
  return changes.flatMap((change) => seen(change, filter) ?? [])
}

function seen(change: Change, filter: Filter): WatchEvent | null {
  const { type, object, old } = change
  const before = old !== null && filter(old)
  if (type === 'DELETED') return before ? { type, object } : null
  const now = filter(object)
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', object }
  return before ? { type: 'DELETED', object } : null
}

function bookmark(definition: ResourceDefinition, resourceVersion: string, endsInitial = false): WatchEvent {
  const annotations = endsInitial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  const metadata = { resourceVersion, ...annotations } as StoredObject['metadata']
  return { type: 'BOOKMARK', object: { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata } }
}
