import type { StoredObject } from './object.js'

const PREFIX = 'batch.kubernetes.io/'

interface JobSpec {
  manualSelector?: boolean
  selector?: unknown
  template?: { metadata?: { labels?: Record<string, string> } }
}

/** What of a new object names its own uid or name: the selector of a Job, and the labels that its pods get. */
export function withIdentity(object: StoredObject): StoredObject {
  if (object.kind !== 'Job') return object
  const { uid, name, labels } = object.metadata
  const spec = object.spec as JobSpec
  const given = spec.template?.metadata?.labels
  const metadata = labels || !given ? object.metadata : { ...object.metadata, labels: given }
  if (spec.manualSelector) return { ...object, metadata }
  const own = {
    [`${PREFIX}controller-uid`]: uid,
    [`${PREFIX}job-name`]: name,
    'controller-uid': uid,
    'job-name': name,
  }
  const template = { ...spec.template, metadata: { ...spec.template?.metadata, labels: { ...given, ...own } } }
  const selector = { matchLabels: { [`${PREFIX}controller-uid`]: uid } }
  return { ...object, metadata, spec: { ...spec, selector, template } }
}
