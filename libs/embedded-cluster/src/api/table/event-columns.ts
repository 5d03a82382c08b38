import type { StoredObject } from '../../store/object.js'
import { NAME, since, type Column } from './cells.js'

interface EventFields {
  type?: string
  reason?: string
  message?: string
  count?: number
  firstTimestamp?: string
  lastTimestamp?: string
  eventTime?: string
  series?: { count?: number; lastObservedTime?: string }
  involvedObject?: { kind?: string; name?: string; fieldPath?: string }
  source?: { component?: string; host?: string }
  reportingComponent?: string
  reportingInstance?: string
}

export function eventColumns(): readonly Column[] {
  return [
    { name: 'Last Seen', cell: (event, now) => since(lastTime(fieldsOf(event)), now) },
    { name: 'Type', cell: (event) => fieldsOf(event).type ?? '' },
    { name: 'Reason', cell: (event) => fieldsOf(event).reason ?? '' },
    { name: 'Object', cell: target },
    { name: 'Subobject', priority: 1, cell: (event) => fieldsOf(event).involvedObject?.fieldPath ?? '' },
    { name: 'Source', priority: 1, cell: source },
    { name: 'Message', cell: (event) => (fieldsOf(event).message ?? '').trim() },
    { name: 'First Seen', priority: 1, cell: (event, now) => since(firstTime(fieldsOf(event)), now) },
    { name: 'Count', priority: 1, cell: (event) => fieldsOf(event).series?.count ?? (fieldsOf(event).count || 1) },
    { ...NAME, priority: 1 },
  ]
}

function fieldsOf(event: StoredObject): EventFields {
  return event as EventFields
}

function firstTime({ firstTimestamp, eventTime }: EventFields): string | undefined {
  return firstTimestamp ?? eventTime
}

function lastTime(event: EventFields): string | undefined {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? firstTime(event)
}

function target(event: StoredObject): string {
  const { kind = '', name = '' } = fieldsOf(event).involvedObject ?? {}
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`
}

function source(event: StoredObject): string {
  const { source: from = {}, reportingComponent = '', reportingInstance = '' } = fieldsOf(event)
  const component = from.component || reportingComponent
  const host = from.host || reportingInstance
  return host === '' ? component : `${component}, ${host}`
}
