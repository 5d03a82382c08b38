import { type Change } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { createPodTelling } from './create-pod.js'
import { deletePod } from './delete-pod.js'
import { JobTally } from './job-tally.js'
import { jobStatus, verdictOf, type JobVerdict } from './job-status.js'
import { conditionOf, isActive, type Job, type JobStatus, type Pod, splitKey } from './objects.js'
import { controllerOf } from './owners.js'
import { type Reconciler, WorkQueue } from './queue.js'

const SOURCE = { component: 'job-controller' }
/** Changes of pods are looked at together. */
const BATCH_MS = 1000
const FIRST_BACKOFF_MS = 10_000
const MAX_BACKOFF_MS = 600_000

/** Runs pods until as many have ended well as each Job asks for, or too many have failed, or its time is over. */
export class JobController implements Reconciler {
  private readonly queue: WorkQueue
  private readonly tally: JobTally

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.tally = new JobTally(store)
    this.queue = new WorkQueue(kernel, 'job', this)
    store.subscribe('jobs.batch', this.queue, 'addChanged')
    store.subscribe('pods', this, 'podChanged')
  }

  reconcile(key: string): 'retry' | void {
    const { cluster, queue, tally } = this
    return reconcile({ cluster, queue, tally }, key)
  }

  podChanged({ object }: Change): void {
    const owner = controllerOf(object)
    if (owner?.kind === 'Job') this.queue.addAfter(`${object.metadata.namespace ?? ''}/${owner.name}`, BATCH_MS)
  }
}

interface Desk {
  readonly cluster: Cluster
  readonly queue: WorkQueue
  readonly tally: JobTally
}

interface Round extends Desk {
  readonly key: string
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
}

function reconcile(desk: Desk, key: string): 'retry' | void {
  const job = desk.cluster.store.get<Job>('jobs.batch', ...splitKey(key))
  if (!job) return
  if (isFinished(job)) return expire(desk, job, key)
  const round = look(desk, job, key)
  const verdict = verdictOf({ ...round, nowMs: desk.cluster.kernel.now })
  const complete = verdict || job.metadata.deletionTimestamp !== undefined ? endAll(round, verdict) : provide(round)
  settle(look(desk, job, key), verdict)
  wakeAtDeadline(round)
  return complete ? undefined : 'retry'
}

/** Writes the status; the end of a job is told when its last pod is gone or has ended. */
function settle(round: Round, verdict: JobVerdict | null): void {
  const { cluster, job, active, pods } = round
  const idle = active.length === 0 && pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)
  const settled = verdict !== null && idle
  const status = jobStatus({ ...round, verdict, settled, nowMs: cluster.kernel.now })
  cluster.store.update('jobs.batch', { ...job, status })
  tellSuspension(cluster, job, status)
  if (settled) tellEnd(round, verdict)
}

const isFinished = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: holds }) => /^(Complete|Failed)$/.test(type) && holds === 'True') ?? false

function look(desk: Desk, job: Job, key: string): Round {
  const pods = desk.cluster.store.listOwned<Pod>('pods', job.metadata.namespace ?? '', job.metadata.uid)
  const active = pods.filter(isActive)
  return { ...desk, key, job, pods, active, ...desk.tally.of(job.metadata.uid) }
}

/** True; a job that has its verdict, or goes, keeps no pod running. */
function endAll(round: Round, verdict: JobVerdict | null): true {
  for (const pod of verdict ? round.active : []) end(round, pod)
  return true
}

function end({ cluster, job, tally }: Round, pod: Pod): void {
  tally.ending(job.metadata.uid, pod.metadata.uid)
  deletePod(cluster, pod)
  const message = `Deleted pod: ${pod.metadata.name}`
  cluster.events.record(job, SOURCE, { type: 'Normal', reason: 'SuccessfulDelete', message })
}

/** As many pods as may run at once and are still needed; false when one was refused. */
function provide(round: Round): boolean {
  const { cluster, job, active, succeeded, queue, key, tally } = round
  const { parallelism = 1, completions, suspend } = job.spec
  const needed = completions === undefined ? openEnded(round, parallelism) : completions - succeeded
  const wanted = suspend ? 0 : Math.min(parallelism, needed)
  for (const pod of active.slice(Math.max(0, wanted))) end(round, pod)
  const waitMs = backoffMs(tally.lastFailures(job.metadata.uid), cluster.kernel.now)
  if (wanted > active.length && waitMs > 0) {
    queue.addAfter(key, waitMs)
    return true
  }
  for (let i = active.length; i < wanted; i++) if (!start(round)) return false
  return true
}

/** Without a number of completions, the first pod that ends well ends the job: no more are started then. */
const openEnded = ({ succeeded, active }: Round, parallelism: number): number =>
  succeeded > 0 ? active.length : parallelism

function start({ cluster, job }: Round): boolean {
  const { metadata, spec } = job.spec.template
  const pod = { owner: job, metadata: { ...metadata, generateName: `${job.metadata.name}-` }, spec }
  return createPodTelling(cluster, SOURCE, pod) !== null
}

/** After failures in a row the next pod waits: 10 s, doubling to 10 min. */
function backoffMs({ count, lastMs }: { count: number; lastMs: number }, nowMs: number): number {
  if (count === 0) return 0
  return Math.max(0, lastMs + Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), MAX_BACKOFF_MS) - nowMs)
}

function tellSuspension({ events }: Cluster, job: Job, status: JobStatus): void {
  const before = conditionOf(job.status?.conditions, 'Suspended')?.status
  const now = conditionOf(status.conditions, 'Suspended')
  if (!now || now.status === before) return
  const reason = now.status === 'True' ? 'Suspended' : 'Resumed'
  events.record(job, SOURCE, { type: 'Normal', reason, message: now.message ?? '' })
}

function tellEnd({ cluster, job }: Round, verdict: JobVerdict): void {
  const { reason, message } = verdict
  const text =
    verdict.type === 'Complete'
      ? ({ type: 'Normal', reason: 'Completed', message: 'Job completed' } as const)
      : ({ type: 'Warning', reason, message } as const)
  cluster.events.record(job, SOURCE, text)
}

function wakeAtDeadline({ cluster, job, queue, key }: Round): void {
  const { activeDeadlineSeconds } = job.spec
  const { startTime } = cluster.store.get<Job>('jobs.batch', ...splitKey(key))?.status ?? {}
  if (activeDeadlineSeconds === undefined || startTime === undefined) return
  const left = Date.parse(startTime) + activeDeadlineSeconds * 1000 - cluster.kernel.now
  if (left > 0) queue.addAfter(key, left)
}

/** A finished job is removed when its time to live is over. */
function expire({ cluster, queue }: Desk, job: Job, key: string): void {
  const { ttlSecondsAfterFinished: ttl } = job.spec
  const finished = job.status?.conditions?.find(
    ({ type, status }) => /^(Complete|Failed)$/.test(type) && status === 'True',
  )
  if (ttl === undefined || !finished || job.metadata.deletionTimestamp !== undefined) return
  const left = Date.parse(finished.lastTransitionTime ?? '') + ttl * 1000 - cluster.kernel.now
  if (left > 0) queue.addAfter(key, left)
  else cluster.store.remove('jobs.batch', job.metadata.namespace ?? '', job.metadata.name)
}
