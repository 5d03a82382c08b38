import { type Change, type ObjectMeta } from '../store/object.js'
import { type ObjectStore } from '../store/store.js'
import { type Pod } from './objects.js'
import { controllerOf } from './owners.js'

interface Counts {
  readonly succeeded: Set<string>
  readonly failed: Set<string>
  /** Failures since the last pod that ended well. */
  inARow: number
  lastFailureMs: number
  /** Pods that the job itself deleted: no reason to wait with the next. */
  readonly ended: Set<string>
}

/**
 * How many pods of each Job have ended, well or not, also those that are gone since. (Upstream keeps each pod by a
 * finalizer until it is counted.)
 */
export class JobTally {
  private readonly jobs = new Map<string, Counts>()

  constructor(private readonly store: ObjectStore) {
    store.subscribe('pods', this, 'podChanged')
    store.subscribe('jobs.batch', this, 'jobChanged')
  }

  podChanged({ type, object }: Change): void {
    const owner = controllerOf(object)
    if (owner?.kind !== 'Job') return
    // Pods may outlive their job, which nobody asks about any more.
    const job = this.store.get('jobs.batch', object.metadata.namespace ?? '', owner.name)
    if (job?.metadata.uid === owner.uid) this.count(owner.uid, object as Pod, type === 'DELETED')
  }

  jobChanged({ type, object }: Change): void {
    if (type === 'DELETED') this.jobs.delete(object.metadata.uid)
  }

  of(job: string): { succeeded: number; failed: number } {
    const counts = this.jobs.get(job)
    return { succeeded: counts?.succeeded.size ?? 0, failed: counts?.failed.size ?? 0 }
  }

  lastFailures(job: string): { count: number; lastMs: number } {
    const { inARow = 0, lastFailureMs = 0 } = this.jobs.get(job) ?? {}
    return { count: inARow, lastMs: lastFailureMs }
  }

  /** The job itself deletes a pod. */
  ending(job: string, pod: string): void {
    this.countsOf(job).ended.add(pod)
  }

  private countsOf(job: string): Counts {
    const known = this.jobs.get(job)
    if (known) return known
    const counts = {
      succeeded: new Set<string>(),
      failed: new Set<string>(),
      inARow: 0,
      lastFailureMs: 0,
      ended: new Set<string>(),
    }
    this.jobs.set(job, counts)
    return counts
  }

  private count(job: string, { metadata, status }: Pod, gone: boolean): void {
    const counts = this.countsOf(job)
    if (counts.succeeded.has(metadata.uid) || counts.failed.has(metadata.uid)) return
    if (status?.phase === 'Succeeded') {
      counts.succeeded.add(metadata.uid)
      counts.inARow = 0
    } else if (status?.phase === 'Failed') {
      counts.failed.add(metadata.uid)
      counts.inARow += 1
      counts.lastFailureMs = endedMs(status)
    } else if (gone || metadata.deletionTimestamp !== undefined) {
      counts.failed.add(metadata.uid)
      if (counts.ended.has(metadata.uid)) return
      counts.inARow += 1
      counts.lastFailureMs = deletedMs(metadata)
    }
  }
}

/** When a pod was asked to go. */
const deletedMs = ({ deletionTimestamp = '', deletionGracePeriodSeconds = 0 }: ObjectMeta): number =>
  (Date.parse(deletionTimestamp) || 0) - deletionGracePeriodSeconds * 1000

function endedMs({ containerStatuses = [], startTime = '' }: NonNullable<Pod['status']>): number {
  const ends = containerStatuses.map(({ state }) => Date.parse(state.terminated?.finishedAt ?? startTime))
  return Math.max(0, ...ends.filter((ms) => !Number.isNaN(ms)))
}
