import { coerceError, type ProgressNote, type ServiceRuntime } from '@ordeal/shared'
import { appendProgress } from '../db/append-progress.sql.js'

/** Notes that wait to be written. Beyond that they are dropped: they are never load-bearing. */
const BACKLOG = 1000

/** Writes notes of progress into the logs of their cycles, one after another, for as long as the service runs. */
export function keepProgress({ onProgress, store, log }: Pick<ServiceRuntime, 'onProgress' | 'store' | 'log'>): void {
  let waiting = 0
  let last = Promise.resolve()
  const write = async (note: ProgressNote): Promise<void> => {
    const { tenantId, cycleId, revision, occurredAt, ...data } = note
    try {
      await store.withTenant(tenantId, (tx) => appendProgress(tx, { tenantId, cycleId, revision, occurredAt, data }))
    } catch (error) {
      log.debug('a progress note was lost', { cycleId, reason: coerceError(error).message })
    } finally {
      waiting -= 1
    }
  }
  onProgress((note) => {
    if (waiting >= BACKLOG) return
    waiting += 1
    last = last.then(() => write(note))
  })
}
