import { apiVersionOf, EVENTS_VIEW, type ResourceDefinition } from '../schema/resources.js'
import type { StoredObject } from '../store/object.js'
import { newerEvent } from './newer-event.js'
import type { ObjectList, Reply } from './reply.js'
import { columnsOf } from './table/columns.js'

/** The form in which a client wants objects. */
export type Form = 'full' | 'table' | 'metadata'

/** How to render for one request: the form, the virtual time for ages, and what a table's rows carry. */
export interface Rendering {
  form: Form
  now: number
  includeObject: string
}

const META = 'meta.k8s.io/v1'

/** Reads the Accept header: the first form that is offered here. */
export function formOf(accept: string | undefined): Form {
  for (const range of (accept ?? '').split(',')) {
    if (range.includes('as=Table') && range.includes('v=v1') && !range.includes('v=v1beta1')) return 'table'
    if (range.includes('as=PartialObjectMetadata') && !range.includes('v=v1beta1')) return 'metadata'
    if (!range.includes('as=') && range.trim() !== '') return 'full'
  }
  return 'full'
}

/** The JSON body of a reply that is not plain text. */
export function renderReply(reply: Exclude<Reply, { kind: 'text' }>, rendering: Rendering): unknown {
  switch (reply.kind) {
    case 'json':
      return reply.body
    case 'object':
      return renderObject(reply.definition, reply.object, rendering)
    case 'list':
      return renderList(reply.definition, reply.list, rendering)
  }
}

export function renderObject(definition: ResourceDefinition, object: StoredObject, rendering: Rendering): unknown {
  const { resourceVersion } = object.metadata
  if (rendering.form === 'table') return table(definition, { items: [object], resourceVersion }, rendering)
  return rendering.form === 'metadata' ? partial(object) : full(definition, object)
}

function full(definition: ResourceDefinition, object: StoredObject): StoredObject {
  return definition === EVENTS_VIEW ? newerEvent(object) : object
}

/** A bookmark has no columns to fill: only its version counts. */
export function renderBookmark(definition: ResourceDefinition, object: StoredObject, rendering: Rendering): unknown {
  if (rendering.form !== 'table') return renderObject(definition, object, rendering)
  return { ...table(definition, { items: [], resourceVersion: object.metadata.resourceVersion }, rendering) }
}

function renderList(definition: ResourceDefinition, list: ObjectList, rendering: Rendering): unknown {
  if (rendering.form === 'table') return table(definition, list, rendering)
  const isPartial = rendering.form === 'metadata'
  return {
    kind: isPartial ? 'PartialObjectMetadataList' : `${definition.kind}List`,
    apiVersion: isPartial ? META : apiVersionOf(definition),
    metadata: listMeta(list),
    items: list.items.map((item) => (isPartial ? partial(item) : full(definition, item))),
  }
}

function listMeta({ resourceVersion, continue: next, remaining }: ObjectList): Record<string, unknown> {
  return { resourceVersion, ...(next === undefined ? {} : { continue: next, remainingItemCount: remaining }) }
}

function partial(object: StoredObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: META, metadata: object.metadata }
}

function table(definition: ResourceDefinition, list: ObjectList, rendering: Rendering): Record<string, unknown> {
  const columns = columnsOf(definition.key)
  return {
    kind: 'Table',
    apiVersion: META,
    metadata: listMeta(list),
    columnDefinitions: columns.map(({ name, type = 'string', format = '', priority = 0 }) => ({
      name,
      type,
      format,
      description: '',
      priority,
    })),
    rows: list.items.map((object) => ({
      cells: columns.map((column) => column.cell(object, rendering.now)),
      ...rowObject(object, rendering.includeObject),
    })),
  }
}

function rowObject(object: StoredObject, include: string): Record<string, unknown> {
  if (include === 'None') return {}
  return { object: include === 'Object' ? object : partial(object) }
}
