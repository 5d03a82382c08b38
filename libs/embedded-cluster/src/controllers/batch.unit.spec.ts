import { TestCluster, pod } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { type CronJob, type Job } from './objects.js'

const shell = (script: string) => ({ name: 'c', image: 'busybox:1.36', command: ['sh', '-c', script] })

function job(name: string, script: string, spec: object = {}, policy = 'Never'): K8sObject {
  const template = { spec: { restartPolicy: policy, containers: [shell(script)] } }
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template, ...spec } }
}

function cronJob(schedule: string, script: string, spec: object = {}): K8sObject {
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [shell(script)] } } } }
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'cron' },
    spec: { schedule, jobTemplate, ...spec },
  }
}

const statusOf = (cluster: TestCluster, name: string) => cluster.store.get<Job>('jobs.batch', 'app', name)?.status
const conditions = (cluster: TestCluster, name: string) =>
  statusOf(cluster, name)?.conditions?.map(({ type, reason }) => `${type}: ${reason}`)

describe('a Job', () => {
  it('runs pods until enough have ended well, as many at once as it may', () => {
    const cluster = new TestCluster()
    cluster.apply(job('work', 'sleep 3', { completions: 3, parallelism: 2 }))
    let most = 0
    cluster.runUntilTrue(() => {
      most = Math.max(most, statusOf(cluster, 'work')?.active ?? 0)
      return statusOf(cluster, 'work')?.completionTime !== undefined
    })
    expect(most).toBe(2)
    expect(statusOf(cluster, 'work')).toMatchObject({ succeeded: 3, ready: 0, terminating: 0 })
    expect(conditions(cluster, 'work')).toEqual([
      'SuccessCriteriaMet: CompletionsReached',
      'Complete: CompletionsReached',
    ])
    expect(cluster.events('work').at(-1)).toBe('Completed: Job completed')
  })

  it('gives up after its back-off limit, with growing pauses between pods', () => {
    const cluster = new TestCluster()
    cluster.apply(job('bad', 'exit 3', { backoffLimit: 2 }))
    const took = cluster.runUntilTrue(
      () => conditions(cluster, 'bad')?.includes('Failed: BackoffLimitExceeded') ?? false,
    )
    expect(took).toBeGreaterThan(30)
    expect(cluster.pods()).toHaveLength(3)
    expect(statusOf(cluster, 'bad')?.failed).toBe(3)
    expect(cluster.pods()[0]?.status?.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 3,
      reason: 'Error',
    })
  })

  it('restarts the container in its pod where the policy says so', () => {
    const cluster = new TestCluster()
    cluster.apply(job('again', 'exit 1', { backoffLimit: 2 }, 'OnFailure'))
    cluster.runUntilTrue(() => conditions(cluster, 'again')?.includes('Failed: BackoffLimitExceeded') ?? false, 300)
    expect(statusOf(cluster, 'again')?.failed).toBe(1)
  })

  it('ends at its deadline', () => {
    const cluster = new TestCluster()
    cluster.apply(job('slow', 'sleep 1000', { activeDeadlineSeconds: 10 }))
    cluster.runUntilTrue(() => conditions(cluster, 'slow')?.includes('Failed: DeadlineExceeded') ?? false)
    expect(cluster.now).toBeLessThan(45)
    expect(cluster.pods()).toEqual([])
  })

  it('is removed, with its pods, when its time to live is over', () => {
    const cluster = new TestCluster()
    cluster.apply(job('brief', 'true', { ttlSecondsAfterFinished: 20 }))
    cluster.run(15)
    expect(statusOf(cluster, 'brief')?.succeeded).toBe(1)
    cluster.run(15)
    expect([cluster.store.count('jobs.batch'), cluster.pods().length]).toEqual([0, 0])
  })

  it('replaces a pod that a fault took', () => {
    const cluster = new TestCluster()
    cluster.apply(job('work', 'sleep 10'))
    cluster.run(5)
    cluster.store.remove('pods', 'app', cluster.pods()[0]?.metadata.name ?? '')
    cluster.runUntilTrue(() => statusOf(cluster, 'work')?.completionTime !== undefined)
    expect(statusOf(cluster, 'work')).toMatchObject({ succeeded: 1, failed: 1 })
  })

  it('waits while it is suspended', () => {
    const cluster = new TestCluster()
    cluster.apply(job('later', 'true', { suspend: true }))
    cluster.run(5)
    expect([cluster.pods().length, conditions(cluster, 'later')]).toEqual([0, ['Suspended: JobSuspended']])
  })

  it('of an image that is not known is taken to end well, which is noted', () => {
    const cluster = new TestCluster()
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'acme/migrate:2' }] } }
    cluster.apply({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'm' }, spec: { template } })
    cluster.run(10)
    expect(statusOf(cluster, 'm')?.succeeded).toBe(1)
    expect(cluster.engine.assumptions.join('\n')).toContain('image acme/migrate:2')
  })
})

describe('a CronJob', () => {
  it('makes a job at each time of its schedule, and keeps so many of them', () => {
    const cluster = new TestCluster()
    cluster.apply(cronJob('*/2 * * * *', 'true', { successfulJobsHistoryLimit: 2 }))
    cluster.run(60 * 9)
    const jobs = cluster.store.list<Job>('jobs.batch', 'app')
    expect(
      jobs.map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']),
    ).toEqual(['2026-01-01T00:06:00Z', '2026-01-01T00:08:00Z'])
    expect(cluster.store.get<CronJob>('cronjobs.batch', 'app', 'cron')?.status?.lastScheduleTime).toBe(
      '2026-01-01T00:08:00Z',
    )
    expect(cluster.events('cron').filter((event) => event.startsWith('SawCompletedJob'))).toHaveLength(4)
  })

  it('skips a time while a job runs, if it may not overlap', () => {
    const cluster = new TestCluster()
    cluster.apply(cronJob('* * * * *', 'sleep 90', { concurrencyPolicy: 'Forbid' }))
    cluster.run(60 * 2 + 5)
    expect(cluster.store.count('jobs.batch')).toBe(1)
    expect(cluster.events('cron').join('\n')).toContain('JobAlreadyActive')
  })

  it('replaces the job that runs, if it says so', () => {
    const cluster = new TestCluster()
    cluster.apply(cronJob('* * * * *', 'sleep 900', { concurrencyPolicy: 'Replace' }))
    cluster.run(60 * 3 + 5)
    expect(cluster.store.list('jobs.batch').map(({ metadata }) => metadata.name)).toEqual(['cron-29453763'])
  })
})

describe('init containers and sidecars', () => {
  const sidecar = { ...shell('sleep 900'), name: 'side', restartPolicy: 'Always' }

  it('run one after another, before the containers', () => {
    const cluster = new TestCluster()
    const initContainers = [
      { ...shell('sleep 5'), name: 'one' },
      { ...shell('sleep 5'), name: 'two' },
    ]
    cluster.apply(pod('web', { podSpec: { initContainers } }))
    cluster.run(4)
    const waiting = cluster.pod('web').status
    expect(waiting?.phase).toBe('Pending')
    expect(waiting?.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [one two]',
    })
    expect(waiting?.containerStatuses?.[0]?.state.waiting?.reason).toBe('PodInitializing')
    const took = cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    expect(took + 4).toBeGreaterThan(10)
  })

  it('that fail keep the pod from starting, with growing pauses', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { podSpec: { initContainers: [{ ...shell('exit 1'), name: 'one' }] } }))
    cluster.run(100)
    const [status] = cluster.pod('web').status?.initContainerStatuses ?? []
    expect(cluster.events('web').join('\n')).toContain('BackOff: Back-off restarting failed container one')
    expect(status?.restartCount).toBeGreaterThan(2)
    expect(cluster.pod('web').status?.phase).toBe('Pending')
  })

  it('go on beside the containers as sidecars, and stop after them', () => {
    const cluster = new TestCluster()
    const podSpec = { initContainers: [sidecar], terminationGracePeriodSeconds: 5 }
    cluster.apply(pod('web', { podSpec }))
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    expect(cluster.pod('web').status?.initContainerStatuses?.[0]).toMatchObject({ ready: true, started: true })
    cluster.store.remove('pods', 'app', 'web', { graceSeconds: 5 })
    cluster.run(10)
    const stopped = cluster.events('web').filter((event) => event.startsWith('Killing'))
    expect(stopped).toEqual(['Killing: Stopping container web', 'Killing: Stopping container side'])
  })

  it('do not keep a job from ending', () => {
    const cluster = new TestCluster()
    const podSpec = { restartPolicy: 'Never', containers: [shell('sleep 2')], initContainers: [sidecar] }
    const template = { spec: { ...podSpec, terminationGracePeriodSeconds: 3 } }
    cluster.apply({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } })
    cluster.runUntilTrue(() => statusOf(cluster, 'j')?.succeeded === 1, 30)
    expect(cluster.pods()[0]?.status?.phase).toBe('Succeeded')
  })
})
