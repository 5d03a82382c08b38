import { deployment, pod, podChaos, service, template, TestCluster, type AppOptions } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { type PersistentVolume, type Pod, type StatefulSet } from './objects.js'

const readiness = { readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 } }
const claims = [
  { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
]

function statefulSet(name: string, replicas: number, spec: object = {}, options: AppOptions = {}): K8sObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: name,
      replicas,
      selector: { matchLabels: { app: name } },
      template: template(name, { container: readiness, ...options }),
      ...spec,
    },
  }
}

const setOf = (cluster: TestCluster): StatefulSet | undefined => cluster.store.get('statefulsets.apps', 'app', 'db')
const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name).sort()

function change(cluster: TestCluster, spec: object): void {
  const set = setOf(cluster)
  if (set) cluster.store.update('statefulsets.apps', { ...set, spec: { ...set.spec, ...spec } })
}

describe('a StatefulSet', () => {
  it('starts its pods one after another, each when the one before is ready', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 3, {}, { env: { STARTUP: '5s' } }))
    const seen: number[] = []
    cluster.runUntilTrue(() => {
      const ready = cluster.readyPods('db').length
      const all = cluster.pods('db').length
      seen.push(all - ready)
      return ready === 3
    })
    expect(Math.max(...seen)).toBe(1)
    expect(names(cluster.pods('db'))).toEqual(['db-0', 'db-1', 'db-2'])
    expect(cluster.events('db')[0]).toBe('SuccessfulCreate: create Pod db-0 in StatefulSet db successful')
    cluster.run(1)
    const revision = setOf(cluster)?.status?.updateRevision
    expect(setOf(cluster)?.status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    })
    expect(cluster.pod('db-1').metadata.labels).toEqual({
      app: 'db',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': revision,
      'statefulset.kubernetes.io/pod-name': 'db-1',
    })
  })

  it('starts them all at once when they are managed in parallel', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 3, { podManagementPolicy: 'Parallel' }, { env: { STARTUP: '5s' } }))
    cluster.run(1)
    expect(cluster.pods('db')).toHaveLength(3)
  })

  it('rolls from the highest ordinal down, one at a time, and stops at the partition', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 3))
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 3)
    cluster.run(1)
    const before = setOf(cluster)?.status?.currentRevision
    change(cluster, {
      template: template('db', { container: readiness, env: { WORK: '1ms' } }),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
    })
    let least = 3
    cluster.runUntilTrue(() => {
      least = Math.min(least, cluster.readyPods('db').length)
      return cluster.readyPods('db').length === 3 && setOf(cluster)?.status?.updatedReplicas === 2
    })
    expect(least).toBe(2)
    const revisions = cluster.pods('db').map(({ metadata }) => metadata.labels?.['controller-revision-hash'] === before)
    expect(revisions.filter(Boolean)).toHaveLength(1)
    expect(cluster.pod('db-0').metadata.labels?.['controller-revision-hash']).toBe(before)
    change(cluster, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } })
    cluster.runUntilTrue(() => setOf(cluster)?.status?.currentRevision !== before)
    expect(setOf(cluster)?.status?.updatedReplicas).toBe(3)
  })

  it('is scaled down from the highest ordinal, and keeps its claims for later', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 3, { volumeClaimTemplates: claims }))
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 3)
    const claim = cluster.store.get('persistentvolumeclaims', 'app', 'data-db-2')
    change(cluster, { replicas: 1 })
    cluster.runUntilTrue(() => cluster.pods('db').length === 1)
    expect(names(cluster.pods('db'))).toEqual(['db-0'])
    expect(cluster.store.count('persistentvolumeclaims')).toBe(3)
    change(cluster, { replicas: 3 })
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 3)
    expect(cluster.store.get('persistentvolumeclaims', 'app', 'data-db-2')?.metadata.uid).toBe(claim?.metadata.uid)
  })

  it('lets its claims, and their volumes, go where its policy says so', () => {
    const cluster = new TestCluster()
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' }
    const spec = { volumeClaimTemplates: claims, persistentVolumeClaimRetentionPolicy: policy }
    cluster.apply(statefulSet('db', 2, spec))
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 2)
    change(cluster, { replicas: 1 })
    cluster.runUntilTrue(() => cluster.store.count('persistentvolumeclaims') === 1)
    cluster.store.remove('statefulsets.apps', 'app', 'db')
    cluster.runUntilTrue(() => cluster.pods('db').length === 0)
    cluster.run(5)
    expect([cluster.store.count('persistentvolumeclaims'), cluster.store.count('persistentvolumes')]).toEqual([0, 0])
  })

  it('comes back on the node, and with the volume, that it had', () => {
    const cluster = new TestCluster(3)
    cluster.apply(statefulSet('db', 1, { volumeClaimTemplates: claims }))
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 1)
    const first = cluster.pod('db-0')
    const [volume] = cluster.store.list<PersistentVolume>('persistentvolumes')
    expect(volume?.status?.phase).toBe('Bound')
    for (let i = 0; i < 3; i++) {
      cluster.store.remove('pods', 'app', 'db-0')
      cluster.runUntilTrue(() => cluster.readyPods('db').length === 1 && cluster.pods('db').length === 1)
      expect(cluster.pod('db-0').spec.nodeName).toBe(first.spec.nodeName)
    }
    expect(cluster.pod('db-0').metadata.uid).not.toBe(first.metadata.uid)
  })

  it('cannot leave the zone of its volume: its pod waits, and says why', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 1, { volumeClaimTemplates: claims }))
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 1)
    const node = cluster.store.get('nodes', null, cluster.pod('db-0').spec.nodeName ?? '')
    if (node) cluster.store.update('nodes', { ...node, spec: { ...(node.spec as object), unschedulable: true } })
    cluster.store.remove('pods', 'app', 'db-0')
    cluster.run(5)
    expect(cluster.events('db-0').at(-1)).toBe(
      "FailedScheduling: 0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match " +
        "PersistentVolume's node affinity. no new claims to deallocate, preemption: 0/3 nodes are available: " +
        '3 Preemption is not helpful for scheduling.',
    )
  })

  it('gives each pod a name of its own in its headless service', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 2))
    cluster.apply(service('db', { clusterIP: 'None' }))
    const url = 'http://db-1.db:8080/x|http://db-1.db.app.svc.cluster.local:8080/x'
    cluster.apply(deployment('web', { env: { CALLS: url } }))
    cluster.apply(service('web'))
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 2 && cluster.readyPods('web').length === 1)
    cluster.run(3)
    cluster.startProber([{ id: 'a', kind: 'http', url: 'http://web.app/', ratePerSecond: 10, timeoutMs: 2000 }])
    cluster.run(5)
    expect(cluster.samples('a').filter(({ ok }) => !ok)).toEqual([])
    cluster.apply(podChaos('gone', { action: 'pod-failure', duration: '60s', selector: { pods: { app: ['db-1'] } } }))
    cluster.run(10)
    expect(cluster.samples('a').at(-1)?.ok).toBe(false)
  })

  it('counts for a disruption budget', () => {
    const cluster = new TestCluster()
    cluster.apply(statefulSet('db', 3))
    const selector = { matchLabels: { app: 'db' } }
    const spec = { maxUnavailable: 1, selector }
    cluster.apply({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'db' }, spec })
    cluster.runUntilTrue(() => cluster.readyPods('db').length === 3)
    cluster.run(1)
    expect(cluster.store.get('poddisruptionbudgets.policy', 'app', 'db')?.status).toMatchObject({
      expectedPods: 3,
      desiredHealthy: 2,
      disruptionsAllowed: 1,
    })
  })
})

describe('a claim', () => {
  const claim = (spec: object): K8sObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  })
  const phase = (cluster: TestCluster) =>
    (cluster.store.get('persistentvolumeclaims', 'app', 'c')?.status as { phase: string }).phase

  it('without a class takes a volume that is there, the smallest that is large enough', () => {
    const cluster = new TestCluster()
    for (const [name, storage] of [
      ['large', '10Gi'],
      ['small', '2Gi'],
      ['tiny', '1Mi'],
    ] as const) {
      const spec = { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } }
      cluster.apply({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, namespace: undefined }, spec })
    }
    cluster.apply(claim({ storageClassName: '' }))
    cluster.run(2)
    expect(phase(cluster)).toBe('Bound')
    expect(cluster.store.get('persistentvolumes', null, 'small')?.status).toEqual({ phase: 'Bound' })
    cluster.store.remove('persistentvolumeclaims', 'app', 'c')
    cluster.run(2)
    expect(cluster.store.get('persistentvolumes', null, 'small')?.status).toEqual({ phase: 'Released' })
  })

  it('waits where there is none, and says so', () => {
    const cluster = new TestCluster()
    cluster.apply(claim({ storageClassName: '' }))
    cluster.run(2)
    expect(phase(cluster)).toBe('Pending')
    expect(cluster.events('c')[0]).toContain('FailedBinding: no persistent volumes available for this claim')
  })

  it('of a class that is not in the input is served, which is noted', () => {
    const cluster = new TestCluster()
    cluster.apply(claim({ storageClassName: 'fast' }))
    cluster.run(2)
    expect(phase(cluster)).toBe('Bound')
    expect(cluster.engine.assumptions.join()).toContain('storage class fast')
  })

  it('stays, when it is deleted, as long as a pod uses it', () => {
    const cluster = new TestCluster()
    cluster.apply(claim({}))
    cluster.apply(pod('user', { podSpec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] } }))
    cluster.run(5)
    cluster.store.remove('persistentvolumeclaims', 'app', 'c')
    cluster.run(5)
    expect(cluster.store.count('persistentvolumeclaims')).toBe(1)
    cluster.store.remove('pods', 'app', 'user')
    cluster.run(5)
    expect([cluster.store.count('persistentvolumeclaims'), cluster.store.count('persistentvolumes')]).toEqual([0, 0])
  })
})
