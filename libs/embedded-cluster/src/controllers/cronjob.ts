import { withDefaults } from '../schema/defaults.js'
import { nextFiring, parseCron } from '../schema/cron.js'
import { type Change, timestamp } from '../store/object.js'
import { type Cluster } from './cluster.js'
import { conditionOf, type CronJob, type Job, splitKey } from './objects.js'
import { controllerOf, ownerReference } from './owners.js'
import { type Reconciler, WorkQueue } from './queue.js'

const SOURCE = { component: 'cronjob-controller' }
const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
const MINUTE_MS = 60_000

/** Makes a Job at each time of a CronJob's schedule, in UTC, and forgets the oldest that are finished. */
export class CronJobController implements Reconciler {
  private readonly queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    const { store, kernel } = cluster
    this.queue = new WorkQueue(kernel, 'cronjob', this)
    store.subscribe('cronjobs.batch', this.queue, 'addChanged')
    store.subscribe('jobs.batch', this, 'jobChanged')
  }

  reconcile(key: string): void {
    reconcile(this.cluster, this.queue, key)
  }

  jobChanged({ object }: Change): void {
    const owner = controllerOf(object)
    if (owner?.kind === 'CronJob') this.queue.add(`${object.metadata.namespace ?? ''}/${owner.name}`)
  }
}

interface Round {
  readonly cluster: Cluster
  readonly cron: CronJob
  readonly jobs: readonly Job[]
}

function reconcile(cluster: Cluster, queue: WorkQueue, key: string): void {
  const cron = cluster.store.get<CronJob>('cronjobs.batch', ...splitKey(key))
  if (!cron || cron.metadata.deletionTimestamp !== undefined) return
  const round = { cluster, cron, jobs: jobsOf(cluster, cron) }
  const due = dueAt(cluster, cron)
  const made = due === null ? null : attempt(round, due)
  tidy(round)
  writeStatus(cluster, cron, made)
  const next = cron.spec.suspend ? null : nextFiring(parseCron(cron.spec.schedule), cluster.kernel.now)
  if (next !== null) queue.addAfter(key, next - cluster.kernel.now)
}

const jobsOf = ({ store }: Cluster, cron: CronJob): Job[] =>
  store.listOwned<Job>('jobs.batch', cron.metadata.namespace ?? '', cron.metadata.uid)

/** The last time of the schedule that has passed and has no job yet; null when there is none. */
function dueAt({ kernel }: Cluster, { spec, status, metadata }: CronJob): number | null {
  if (spec.suspend) return null
  const schedule = parseCron(spec.schedule)
  const { startingDeadlineSeconds: deadline } = spec
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp)
  const earliest = deadline === undefined ? since : Math.max(since, kernel.now - deadline * 1000)
  let due: number | null = null
  for (let at = nextFiring(schedule, earliest); at !== null && at <= kernel.now; at = nextFiring(schedule, at)) due = at
  return due
}

/** The time for which a job was made, or null when the policy is against it. */
function attempt({ cluster, cron, jobs }: Round, due: number): number | null {
  const running = jobs.filter((job) => !outcomeOf(job))
  const { concurrencyPolicy } = cron.spec
  if (running.length > 0 && concurrencyPolicy === 'Forbid') {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    cluster.events.record(cron, SOURCE, { type: 'Normal', reason: 'JobAlreadyActive', message })
    return null
  }
  if (concurrencyPolicy === 'Replace') for (const job of running) remove(cluster, cron, job)
  const name = `${cron.metadata.name}-${Math.floor(due / MINUTE_MS)}`
  if (!cluster.store.get('jobs.batch', cron.metadata.namespace ?? '', name)) {
    cluster.store.create('jobs.batch', newJob(cron, name, due))
    const message = `Created job ${name}`
    cluster.events.record(cron, SOURCE, { type: 'Normal', reason: 'SuccessfulCreate', message })
  }
  return due
}

function newJob(cron: CronJob, name: string, due: number) {
  const { metadata, spec } = cron.spec.jobTemplate
  return withDefaults({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...metadata,
      name,
      namespace: cron.metadata.namespace,
      annotations: { ...metadata?.annotations, [SCHEDULED]: timestamp(due) },
      ownerReferences: [ownerReference(cron)],
    },
    spec,
  })
}

function outcomeOf({ status }: Job): 'Complete' | 'Failed' | null {
  const holds = (type: string) => conditionOf(status?.conditions, type)?.status === 'True'
  if (holds('Complete')) return 'Complete'
  return holds('Failed') ? 'Failed' : null
}

function remove({ store, events }: Cluster, cron: CronJob, job: Job): void {
  store.remove('jobs.batch', job.metadata.namespace ?? '', job.metadata.name)
  const message = `Deleted job ${job.metadata.name}`
  events.record(cron, SOURCE, { type: 'Normal', reason: 'SuccessfulDelete', message })
}

/** Finished jobs beyond the limits go, the oldest first. */
function tidy({ cluster, cron, jobs }: Round): void {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cron.spec
  const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit }
  for (const [outcome, limit] of Object.entries(limits)) {
    const finished = jobs.filter((job) => outcomeOf(job) === outcome)
    for (const job of finished.slice(0, Math.max(0, finished.length - limit))) remove(cluster, cron, job)
  }
}

function writeStatus(cluster: Cluster, cron: CronJob, made: number | null): void {
  const jobs = jobsOf(cluster, cron)
  const active = jobs
    .filter((job) => !outcomeOf(job))
    .map(({ apiVersion, kind, metadata }) => {
      const { name, namespace, uid, resourceVersion } = metadata
      return { apiVersion, kind, name, namespace, uid, resourceVersion }
    })
  const ends = jobs.flatMap(({ status }) => status?.completionTime ?? []).sort()
  const lastScheduleTime = made === null ? cron.status?.lastScheduleTime : timestamp(made)
  const lastSuccessfulTime = ends.at(-1) ?? cron.status?.lastSuccessfulTime
  const status = {
    ...(active.length > 0 ? { active } : {}),
    ...(lastScheduleTime ? { lastScheduleTime } : {}),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  }
  for (const job of jobs) tellEnd(cluster, cron, job)
  cluster.store.update('cronjobs.batch', { ...cron, status })
}

/** Says once that a job of the active ones has ended. */
function tellEnd({ events }: Cluster, cron: CronJob, job: Job): void {
  const outcome = outcomeOf(job)
  const wasActive = (cron.status?.active as { uid: string }[] | undefined)?.some(({ uid }) => uid === job.metadata.uid)
  if (!outcome || !wasActive) return
  const message = `Saw completed job: ${job.metadata.name}, condition: ${outcome}`
  events.record(cron, SOURCE, { type: 'Normal', reason: 'SawCompletedJob', message })
}
