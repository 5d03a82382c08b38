import { type ObjectRef } from '@ordeal/kubernetes'

/**
 * In-place mode: the application already stands in a namespace that is not ours. Nothing is deployed over it but the
 * changes of revisions. What was there is written down before anything is changed, into one Secret of that namespace
 * (objects of an application may hold credentials), which is also the lock of the namespace: whoever finds it can put
 * everything back, whatever became of the process that made it.
 */
export const JOURNAL = 'ordeal-in-place'

/** The journal of a namespace. */
export const journalRef = (namespace: string): ObjectRef => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: JOURNAL, namespace },
})
