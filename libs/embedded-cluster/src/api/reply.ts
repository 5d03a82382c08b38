import type { ResourceDefinition } from '../schema/resources.js'
import type { StoredObject } from '../store/object.js'

/** What a use case of the API answers, before it is rendered in the form that the client accepts. */
export type Reply =
  | { kind: 'object'; code: number; definition: ResourceDefinition; object: StoredObject }
  | { kind: 'list'; definition: ResourceDefinition; list: ObjectList }
  | { kind: 'json'; code: number; body: unknown; contentType?: string }
  | { kind: 'text'; text: string; contentType?: string }

export interface ObjectList {
  items: readonly StoredObject[]
  resourceVersion: string
  /** Where the next page starts, when there is one. */
  continue?: string
  remaining?: number
}

export function json(body: unknown, code = 200): Reply {
  return { kind: 'json', code, body }
}
