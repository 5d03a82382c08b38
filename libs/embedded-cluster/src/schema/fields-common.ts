import { inert, modelled, within, type FieldTable } from './fields.js'

/** Reasons that more than one field shares. */
export const NAMES = 'names and notes do not change what is simulated'
export const SECURITY = 'there are no users, capabilities or kernels to protect'
export const IMAGES = 'images are not pulled: each behaves as its profile says'
export const ACCESS = 'no program in the cluster is denied access to the API'
export const FILES = 'files do not change how a profile behaves'

export const meta = within({
  name: modelled,
  generateName: modelled,
  namespace: modelled,
  labels: modelled,
  annotations: inert(NAMES),
  ownerReferences: modelled,
  finalizers: modelled,
  uid: modelled,
  resourceVersion: modelled,
  creationTimestamp: inert('the server sets it'),
  generation: inert('the server sets it'),
  managedFields: inert('field owners are not tracked'),
  selfLink: inert('no longer used by Kubernetes'),
  deletionTimestamp: inert('the server sets it'),
  deletionGracePeriodSeconds: inert('the server sets it'),
})

export const labelSelector = within({ matchLabels: modelled, matchExpressions: modelled })

const status = inert('the cluster sets it; only the status subresource writes it')
/** The fields that every kind has, and those that have a status. */
export const type: FieldTable = { apiVersion: modelled, kind: modelled, metadata: meta }
export const typeWithStatus: FieldTable = { ...type, status }

const record = inert('a record: nothing acts on it')
export const EVENT_FIELDS: FieldTable = {
  involvedObject: record,
  reason: record,
  message: record,
  source: record,
  firstTimestamp: record,
  lastTimestamp: record,
  count: record,
  type: record,
  eventTime: record,
  series: record,
  action: record,
  related: record,
  reportingComponent: record,
  reportingInstance: record,
}
