import * as fc from 'fast-check'
import { deployment, service, template, TestCluster } from '../engine-fixture.spec.js'
import { withDefaults } from '../schema/defaults.js'
import { conditionOf, type Deployment, isReady, type ReplicaSet } from './objects.js'

const get = (cluster: TestCluster, name = 'web'): Deployment => {
  const found = cluster.store.get<Deployment>('deployments.apps', 'app', name)
  if (!found) throw new Error(`no deployment ${name}`)
  return found
}
const sets = (cluster: TestCluster) => cluster.store.list<ReplicaSet>('replicasets.apps', 'app')
const isDone = (cluster: TestCluster) => {
  const { status = {}, spec, metadata } = get(cluster)
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  const seen = status.observedGeneration === metadata.generation
  return seen && [updatedReplicas, replicas, availableReplicas].every((count) => count === spec.replicas)
}
const change = (cluster: TestCluster, spec: Partial<Deployment['spec']>) => {
  const current = get(cluster)
  cluster.store.update('deployments.apps', withDefaults({ ...current, spec: { ...current.spec, ...spec } }))
}
const redeploy = (cluster: TestCluster, env: Record<string, string>) =>
  change(cluster, { template: { ...(template('web', { env }) as unknown as Deployment['spec']['template']) } })

describe('a Deployment', () => {
  it('comes up with a ReplicaSet, pods, revision and conditions', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 3 }))
    cluster.runUntilTrue(() => isDone(cluster))
    const [set] = sets(cluster)
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? ''
    expect(set?.metadata.name).toBe(`web-${hash}`)
    expect(set?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    })
    expect(cluster.pods('web').every(({ metadata }) => metadata.name.startsWith(`web-${hash}-`))).toBe(true)
    const { metadata, status } = get(cluster)
    expect(metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1')
    expect(status).toMatchObject({ observedGeneration: 1, replicas: 3, readyReplicas: 3, availableReplicas: 3 })
    expect(conditionOf(status?.conditions, 'Available')?.reason).toBe('MinimumReplicasAvailable')
    expect(conditionOf(status?.conditions, 'Progressing')).toMatchObject({
      reason: 'NewReplicaSetAvailable',
      message: `ReplicaSet "web-${hash}" has successfully progressed.`,
    })
    expect(cluster.events('web')).toEqual([`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`])
  })

  it('rolls over to a new template and back, keeping revisions', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 4 }))
    cluster.runUntilTrue(() => isDone(cluster))
    redeploy(cluster, { WORK: '5ms' })
    cluster.runUntilTrue(() => isDone(cluster))
    expect(sets(cluster).map(({ spec }) => spec.replicas)).toEqual([0, 4])
    redeploy(cluster, {})
    cluster.runUntilTrue(() => isDone(cluster))
    expect(sets(cluster).map(({ spec }) => spec.replicas)).toEqual([4, 0])
    expect(get(cluster).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3')
  })

  it('keeps only as many old revisions as it is told', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { spec: { revisionHistoryLimit: 1 } }))
    for (const WORK of ['1ms', '2ms', '3ms']) {
      cluster.runUntilTrue(() => isDone(cluster))
      redeploy(cluster, { WORK })
      cluster.run(1)
    }
    cluster.runUntilTrue(() => isDone(cluster))
    cluster.run(5)
    expect(sets(cluster).map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'])).toEqual([
      '3',
      '4',
    ])
  })

  it('stops a rollout that does not become ready, and says so after its deadline', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 4, spec: { progressDeadlineSeconds: 30 } }))
    cluster.runUntilTrue(() => isDone(cluster))
    redeploy(cluster, { STARTUP: '1h' })
    cluster.run(60)
    expect(sets(cluster).map(({ spec }) => spec.replicas)).toEqual([3, 2])
    expect(cluster.readyPods('web')).toHaveLength(3)
    const { status } = get(cluster)
    expect(conditionOf(status?.conditions, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    })
    expect(conditionOf(status?.conditions, 'Available')?.status).toBe('True')
  })

  it('with Recreate removes everything old first', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 2, spec: { strategy: { type: 'Recreate' } } }))
    cluster.runUntilTrue(() => isDone(cluster))
    const old = new Set(cluster.pods('web').map(({ metadata }) => metadata.uid))
    redeploy(cluster, { WORK: '5ms' })
    cluster.runUntilTrue(() => cluster.pods('web').some(({ metadata }) => !old.has(metadata.uid)))
    const running = cluster.pods('web').filter(({ status }) => status?.phase === 'Running')
    expect(running.filter(({ metadata }) => old.has(metadata.uid))).toEqual([])
    cluster.runUntilTrue(() => isDone(cluster))
  })

  it('scales without a rollout, and replaces a lost pod', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 1 }))
    cluster.runUntilTrue(() => isDone(cluster))
    change(cluster, { replicas: 5 })
    cluster.runUntilTrue(() => isDone(cluster))
    expect(sets(cluster)).toHaveLength(1)
    cluster.store.remove('pods', 'app', cluster.pods('web')[0]?.metadata.name ?? '')
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 5)
    change(cluster, { replicas: 0 })
    cluster.runUntilTrue(() => cluster.pods('web').length === 0)
    expect(get(cluster).spec.replicas).toBe(0)
  })

  it('spreads new replicas over both sides of a rollout that is stuck, as in the documentation of Kubernetes', () => {
    const cluster = new TestCluster()
    const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } }
    cluster.apply(deployment('web', { replicas: 10, spec: { strategy } }))
    cluster.runUntilTrue(() => isDone(cluster))
    redeploy(cluster, { STARTUP: '1h' })
    cluster.run(30)
    expect(sets(cluster).map(({ spec }) => spec.replicas)).toEqual([8, 5])
    change(cluster, { replicas: 15 })
    cluster.run(30)
    expect(sets(cluster).map(({ spec }) => spec.replicas)).toEqual([11, 7])
  })

  it('counts a pod as available only after minReadySeconds', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { spec: { minReadySeconds: 20 } }))
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    const ready = cluster.now
    cluster.runUntilTrue(() => isDone(cluster))
    expect(cluster.now - ready).toBeGreaterThan(19)
    expect(cluster.now - ready).toBeLessThan(21)
  })

  it('does nothing while paused', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web'))
    cluster.runUntilTrue(() => isDone(cluster))
    change(cluster, { paused: true, template: template('web', { env: { WORK: '9ms' } }) as never })
    cluster.run(20)
    expect(sets(cluster)).toHaveLength(1)
    change(cluster, { paused: false })
    cluster.runUntilTrue(() => sets(cluster).length === 2)
  })

  it('takes its ReplicaSets and pods along when it is deleted', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 2 }))
    cluster.apply(service('web'))
    cluster.runUntilTrue(() => isDone(cluster))
    cluster.store.remove('deployments.apps', 'app', 'web')
    cluster.store.remove('services', 'app', 'web')
    cluster.run(5)
    expect([sets(cluster).length, cluster.pods().length]).toEqual([0, 0])
    expect(cluster.store.list('endpointslices.discovery.k8s.io', 'app')).toEqual([])
  })

  it('leaves dependents alone with the orphan policy, and waits for them with the foreground policy', () => {
    const hold = (finalizer: string) => {
      const cluster = new TestCluster()
      cluster.apply(deployment('web', { replicas: 1 }))
      cluster.runUntilTrue(() => isDone(cluster))
      const current = get(cluster)
      const metadata = { ...current.metadata, finalizers: [finalizer] }
      cluster.store.update('deployments.apps', { ...current, metadata })
      cluster.store.remove('deployments.apps', 'app', 'web')
      cluster.run(5)
      return { sets: sets(cluster).length, deployments: cluster.store.list('deployments.apps', 'app').length }
    }
    expect(hold('orphan')).toEqual({ sets: 1, deployments: 0 })
    expect(hold('foregroundDeletion')).toEqual({ sets: 0, deployments: 0 })
  })

  it('never has fewer available pods than allowed, nor asks for more in all, during any rollout', () => {
    const settings = fc.record({
      replicas: fc.integer({ min: 1, max: 6 }),
      maxSurge: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('25%', '50%', '100%')),
      maxUnavailable: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('25%', '50%')),
      startup: fc.integer({ min: 0, max: 8 }),
      seed: fc.integer({ min: 1, max: 1000 }),
    })
    fc.assert(
      fc.property(settings, ({ replicas, maxSurge, maxUnavailable, startup, seed }) => {
        const cluster = new TestCluster(seed)
        const strategy = { rollingUpdate: { maxSurge, maxUnavailable } }
        cluster.apply(deployment('web', { replicas, spec: { strategy } }))
        cluster.runUntilTrue(() => isDone(cluster))
        const scale = (value: number | string, round: (n: number) => number) =>
          typeof value === 'number' ? value : round((Number.parseInt(value, 10) * replicas) / 100)
        const surge = scale(maxSurge, Math.ceil)
        const unavailable = scale(maxUnavailable, Math.floor)
        const least = replicas - (surge === 0 && unavailable === 0 ? 1 : unavailable)
        redeploy(cluster, { STARTUP: `${startup}s` })
        cluster.runUntilTrue(() => {
          const active = cluster.pods('web').filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          const asked = sets(cluster).reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0)
          expect(asked).toBeLessThanOrEqual(replicas + surge)
          expect(active.filter(isReady).length).toBeGreaterThanOrEqual(least)
          return isDone(cluster)
        }, 300)
      }),
      { numRuns: 25 },
    )
  })
})
