import { badRequest, expired, notFound } from '../store/api-error.js'
import type { StoredObject } from '../store/object.js'
import type { ObjectStore } from '../store/store.js'
import { filterOf } from './filter.js'
import type { Reply } from './reply.js'
import type { ResourcePath } from '../schema/resource-path.js'

/** GET of one object. Throws ApiError 404. */
export function getObject(store: ObjectStore, path: ResourcePath & { name: string }): StoredObject {
  const object = store.get(path.definition.key, path.namespace, path.name)
  if (!object) throw notFound(path.definition, path.name)
  return object
}

/** GET of a collection: selectors, and pages where `limit` asks for them. */
export function listObjects(store: ObjectStore, path: ResourcePath, query: URLSearchParams): Reply {
  const { definition, namespace } = path
  const filter = filterOf(definition, query)
  const found = store.list(definition.key, namespace).filter(filter).sort(byName)
  const limit = wholeNumber(query, 'limit') ?? 0
  const start = query.get('continue') ? after(found, query.get('continue') ?? '') : 0
  const end = limit > 0 ? Math.min(start + limit, found.length) : found.length
  const last = found[end - 1]
  return {
    kind: 'list',
    definition,
    list: {
      items: found.slice(start, end),
      resourceVersion: store.resourceVersion,
      ...(end < found.length && last ? { continue: token(last), remaining: found.length - end } : {}),
    },
  }
}

/** A whole number of a query, undefined when it is not given. Throws ApiError 400. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name} must be a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}

/** The order of etcd's keys, in which an API server lists. */
function byName(a: StoredObject, b: StoredObject): number {
  return order(a.metadata.namespace ?? '', b.metadata.namespace ?? '') || order(a.metadata.name, b.metadata.name)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function token(object: StoredObject): string {
  return Buffer.from(JSON.stringify([object.metadata.namespace ?? '', object.metadata.name])).toString('base64url')
}

/** Index of the first object behind a continue token, whether or not its object is still there. */
function after(sorted: readonly StoredObject[], text: string): number {
  const [namespace, name] = readToken(text)
  const index = sorted.findIndex(
    ({ metadata }) =>
      order(metadata.namespace ?? '', namespace) > 0 ||
      ((metadata.namespace ?? '') === namespace && metadata.name > name),
  )
  return index < 0 ? sorted.length : index
}

function readToken(text: string): [string, string] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Array.isArray(parsed) && typeof parsed[0] === 'string' && typeof parsed[1] === 'string') {
      return [parsed[0], parsed[1]]
    }
  } catch {
    // Answered below, like any other token that is not ours.
  }
  throw expired('the provided continue parameter is not one of this server')
}
