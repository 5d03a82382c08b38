import { timestamp } from '../store/object.js'
import { type Condition, conditionOf, isReady, type Job, type JobStatus, type Pod } from './objects.js'
import { withoutZeroes } from './without-zeroes.js'

/** How a job ended. */
export interface JobVerdict {
  readonly type: 'Complete' | 'Failed'
  readonly reason: string
  readonly message: string
}

interface Facts {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
  readonly nowMs: number
}

/** Whether the job is over, and how; null while it is not. */
export function verdictOf(facts: Facts): JobVerdict | null {
  return decided(facts.job) ?? judge(facts)
}

/** A verdict stays, also when the pods from which it came are gone. */
function decided({ status }: Job): JobVerdict | null {
  for (const [sign, type] of Object.entries(SIGNS)) {
    const found = conditionOf(status?.conditions, sign)
    if (found?.status === 'True') return { type, reason: found.reason ?? '', message: found.message ?? '' }
  }
  return null
}

const SIGNS = { SuccessCriteriaMet: 'Complete', FailureTarget: 'Failed' } as const

function judge(facts: Facts): JobVerdict | null {
  const { job, succeeded, active, nowMs } = facts
  const { completions, activeDeadlineSeconds: deadline, backoffLimit = 6 } = job.spec
  if (failures(facts) > backoffLimit) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const { startTime } = job.status ?? {}
  if (deadline !== undefined && startTime !== undefined && nowMs >= Date.parse(startTime) + deadline * 1000) {
    return failed('DeadlineExceeded', 'Job was active longer than specified deadline')
  }
  const enough = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions
  if (!enough) return null
  return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
}

const failed = (reason: string, message: string): JobVerdict => ({ type: 'Failed', reason, message })

/** Pods that failed; of pods that restart their containers, the restarts. */
function failures({ job, pods, failed: count }: Facts): number {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return count
  const statuses = pods.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ])
  const restarts = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0)
  // Upstream looks at the limit before the restart that would break it.
  return restarts > 0 ? restarts + count + (restarts >= (job.spec.backoffLimit ?? 6) ? 1 : 0) : count
}

export interface StatusFacts extends Facts {
  readonly verdict: JobVerdict | null
  /** The verdict is in and no pod is left running. */
  readonly settled: boolean
}

export function jobStatus({
  job,
  pods,
  active,
  succeeded,
  failed: bad,
  nowMs,
  verdict,
  settled,
}: StatusFacts): JobStatus {
  const now = timestamp(nowMs)
  const terminating = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length
  const counts = withoutZeroes({ active: active.length, succeeded, failed: bad })
  const startTime = job.spec.suspend ? undefined : (job.status?.startTime ?? now)
  return {
    ...(startTime ? { startTime } : {}),
    ...counts,
    ready: active.filter(isReady).length,
    terminating,
    uncountedTerminatedPods: {},
    ...(settled && verdict?.type === 'Complete' ? { completionTime: now } : {}),
    ...conditionsOf(job, verdict, settled, now),
  }
}

function conditionsOf(
  job: Job,
  verdict: JobVerdict | null,
  settled: boolean,
  now: string,
): { conditions?: Condition[] } {
  const old = job.status?.conditions ?? []
  const wanted: Omit<Condition, 'lastProbeTime' | 'lastTransitionTime'>[] = []
  const suspended = conditionOf(old, 'Suspended')
  if (job.spec.suspend)
    wanted.push({ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' })
  else if (suspended) wanted.push({ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' })
  if (verdict) {
    const { type, reason, message } = verdict
    wanted.push({ type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True', reason, message })
    if (settled) wanted.push({ type, status: 'True', reason, message })
  }
  const conditions = wanted.map((condition) => {
    const before = conditionOf(old, condition.type)
    return before?.status === condition.status ? before : { ...condition, lastProbeTime: now, lastTransitionTime: now }
  })
  return conditions.length > 0 ? { conditions } : {}
}
