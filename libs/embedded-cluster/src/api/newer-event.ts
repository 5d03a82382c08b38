import { apiVersionOf, EVENTS_VIEW } from '../schema/resources.js'
import type { StoredObject } from '../store/object.js'

/** Fields that have another name in events.k8s.io/v1, by their name in v1. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
])

/** An event of v1 as events.k8s.io/v1 shows it. */
export function newerEvent(event: StoredObject): StoredObject {
  const fields = Object.entries(event).map(([name, value]) => [RENAMED.get(name) ?? name, value])
  return { ...(Object.fromEntries(fields) as StoredObject), apiVersion: apiVersionOf(EVENTS_VIEW) }
}
