import { deployment, networkChaos, pod, podChaos, TestCluster } from '../engine-fixture.spec.js'
import { type Chaos } from './status.js'

type Kind = 'podchaos.chaos-mesh.org' | 'networkchaos.chaos-mesh.org'

function withPods(replicas = 2): TestCluster {
  const cluster = new TestCluster()
  cluster.apply(deployment('web', { replicas }))
  cluster.run(20)
  return cluster
}

const read = (cluster: TestCluster, name: string, kind: Kind = 'podchaos.chaos-mesh.org'): Chaos => {
  const chaos = cluster.store.get<Chaos>(kind, 'app', name)
  if (!chaos) throw new Error(`no chaos ${name}`)
  return chaos
}
const conditions = ({ status }: Chaos) =>
  Object.fromEntries(status?.conditions?.map(({ type, status: value }) => [type, value]) ?? [])
const records = ({ status }: Chaos) => status?.experiment?.containerRecords ?? []

describe('PodChaos pod-kill', () => {
  it('is recorded as injected for good, whatever its duration', () => {
    const cluster = withPods()
    const before = cluster.pods().map(({ metadata }) => metadata.name)
    cluster.apply(podChaos('kill', { action: 'pod-kill', duration: '10s' }))
    cluster.run(30)
    const chaos = read(cluster, 'kill')
    const [record] = records(chaos)
    const victim = before.find((name) => !cluster.pods().some(({ metadata }) => metadata.name === name)) ?? ''
    expect(record).toEqual({
      id: `app/${victim}`,
      selectorKey: '.',
      phase: 'Injected',
      injectedCount: 1,
      recoveredCount: 0,
      events: [{ type: 'Succeeded', operation: 'Apply', timestamp: '2026-01-01T00:00:20Z' }],
    })
    expect(chaos.status?.experiment?.desiredPhase).toBe('Run')
    expect(conditions(chaos)).toEqual({ Selected: 'True', AllInjected: 'True', AllRecovered: 'False', Paused: 'False' })
    expect(chaos.metadata.finalizers).toEqual(['chaos-mesh/records'])
    expect(cluster.events('kill')).toEqual([
      'FinalizerInited: Finalizer has been inited',
      'Updated: Successfully update finalizer of resource',
      'Updated: Successfully update desiredPhase of resource',
      `Applied: Successfully apply chaos for app/${victim}`,
      'Updated: Successfully update records of resource',
    ])
  })

  it('gives the pod its grace period when it has one', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: { lifecycle: { preStop: { sleep: { seconds: 5 } } } } }))
    cluster.run(5)
    cluster.apply(podChaos('kill', { action: 'pod-kill', gracePeriod: 20 }))
    cluster.run(2)
    expect(cluster.pod('web').metadata.deletionGracePeriodSeconds).toBe(20)
    cluster.run(5)
    expect(cluster.pods()).toEqual([])
  })

  it('goes at once when it is deleted', () => {
    const cluster = withPods()
    cluster.apply(podChaos('kill', { action: 'pod-kill' }))
    cluster.run(5)
    cluster.store.remove('podchaos.chaos-mesh.org', 'app', 'kill')
    cluster.run(2)
    expect(cluster.store.list('podchaos.chaos-mesh.org')).toEqual([])
    expect(cluster.events('kill').slice(-6)).toEqual([
      'Deleted: Experiment has been deleted',
      'Updated: Successfully update desiredPhase of resource',
      expect.stringMatching(/^Recovered: Successfully recover chaos for app\/web-/),
      'Updated: Successfully update records of resource',
      'FinalizerInited: Finalizer has been removed',
      'Updated: Successfully update finalizer of resource',
    ])
  })
})

describe('a fault without targets', () => {
  it('is accepted, selects nothing, says why, and can be deleted', () => {
    const cluster = new TestCluster()
    cluster.apply(podChaos('kill', { action: 'pod-kill' }))
    cluster.run(5)
    const chaos = read(cluster, 'kill')
    expect(chaos.status).toEqual({
      conditions: [
        { type: 'Selected', status: 'False' },
        { type: 'AllInjected', status: 'False' },
        { type: 'AllRecovered', status: 'False' },
        { type: 'Paused', status: 'False' },
      ],
      experiment: { desiredPhase: 'Run' },
    })
    expect(cluster.events('kill')).toContain('Failed: Failed to select targets: no pod is selected')
    cluster.store.remove('podchaos.chaos-mesh.org', 'app', 'kill')
    cluster.run(2)
    expect(cluster.store.list('podchaos.chaos-mesh.org')).toEqual([])
  })
})

describe('PodChaos pod-failure', () => {
  it('puts a pause image in place, and the real one back when its time is up', () => {
    const cluster = withPods(1)
    cluster.apply(podChaos('fail', { action: 'pod-failure', duration: '30s' }))
    cluster.run(10)
    const [failed] = cluster.pods()
    expect(failed).toMatchObject({
      metadata: { annotations: { 'chaos-mesh-fail-pod-failure-web-normal-image': 'ordeal/testapp:1' } },
      spec: { containers: [{ image: 'gcr.io/google-containers/pause:latest' }] },
      status: { containerStatuses: [{ restartCount: 1, ready: false }] },
    })
    expect(cluster.readyPods('web')).toEqual([])
    expect(cluster.events(failed?.metadata.name ?? '')).toContain(
      'Killing: Container web definition changed, will be restarted',
    )
    expect(conditions(read(cluster, 'fail'))).toMatchObject({ AllInjected: 'True', AllRecovered: 'False' })

    cluster.run(30)
    const [restored] = cluster.pods()
    expect(restored).toMatchObject({
      metadata: { uid: failed?.metadata.uid, annotations: {} },
      spec: { containers: [{ image: 'ordeal/testapp:1' }] },
    })
    expect(cluster.readyPods('web')).toHaveLength(1)
    const over = read(cluster, 'fail')
    expect(conditions(over)).toEqual({ Selected: 'True', AllInjected: 'False', AllRecovered: 'True', Paused: 'False' })
    expect(over.status?.experiment?.desiredPhase).toBe('Stop')
    expect(records(over)[0]).toMatchObject({ phase: 'Not Injected', injectedCount: 1, recoveredCount: 1 })
    expect(cluster.events('fail')).toContain('TimeUp: Time up according to the duration')
  })

  it('is undone when it is deleted, before it goes', () => {
    const cluster = withPods(1)
    cluster.apply(podChaos('fail', { action: 'pod-failure', duration: '10m' }))
    cluster.run(5)
    cluster.store.remove('podchaos.chaos-mesh.org', 'app', 'fail')
    cluster.run(1)
    expect(cluster.store.list('podchaos.chaos-mesh.org')).toEqual([])
    expect(cluster.pods()[0]?.spec.containers[0]?.image).toBe('ordeal/testapp:1')
  })

  it('pauses and resumes by annotation', () => {
    const cluster = withPods(1)
    const fault = podChaos('fail', { action: 'pod-failure', duration: '10m' })
    cluster.apply(fault)
    cluster.run(5)
    const set = (value: string) => {
      const chaos = read(cluster, 'fail')
      const annotations = { 'experiment.chaos-mesh.org/pause': value }
      cluster.store.update('podchaos.chaos-mesh.org', { ...chaos, metadata: { ...chaos.metadata, annotations } })
      cluster.run(20)
    }
    set('true')
    expect(conditions(read(cluster, 'fail'))).toMatchObject({ AllRecovered: 'True', Paused: 'True' })
    expect(cluster.readyPods('web')).toHaveLength(1)
    set('false')
    expect(records(read(cluster, 'fail'))[0]).toMatchObject({ phase: 'Injected', injectedCount: 2, recoveredCount: 1 })
  })
})

describe('PodChaos container-kill', () => {
  it('names its targets by container; the kubelet restarts them in the same pod', () => {
    const cluster = withPods(2)
    const uids = cluster.pods().map(({ metadata }) => metadata.uid)
    cluster.apply(podChaos('kill', { action: 'container-kill', mode: 'all', containerNames: ['web'] }))
    cluster.run(20)
    const ids = records(read(cluster, 'kill')).map(({ id }) => id)
    expect(ids.sort()).toEqual(
      cluster
        .pods()
        .map(({ metadata }) => `app/${metadata.name}/web`)
        .sort(),
    )
    expect(cluster.pods().map(({ metadata }) => metadata.uid)).toEqual(uids)
    expect(cluster.pods().map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1])
  })

  it('that cannot hit is tried again with growing delays, and keeps the last failures', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { env: { WORKERS: '0' }, container: {}, podSpec: { restartPolicy: 'Never' } }))
    cluster.run(5)
    cluster.apply(podChaos('kill', { action: 'container-kill', containerNames: ['web'] }))
    cluster.run(600)
    const chaos = read(cluster, 'kill')
    expect(conditions(chaos)).toMatchObject({ Selected: 'True', AllInjected: 'False' })
    expect(records(chaos)[0]).toMatchObject({ phase: 'Not Injected', injectedCount: 0 })
    const failures = records(chaos)[0]?.events ?? []
    // 5 ms, 10 ms, … 5 ms · 2^16: about seventeen tries in ten minutes.
    expect(failures.length).toBeGreaterThan(14)
    expect(failures.length).toBeLessThan(20)
    expect(failures[0]).toMatchObject({ type: 'Failed', operation: 'Apply', message: 'container web is not running' })
    expect(cluster.events('kill')).toContain('Failed: Failed to apply chaos: container web is not running')
  })
})

describe('NetworkChaos', () => {
  it('waits for the daemon, records both ends and counts its writes', () => {
    const cluster = withPods(2)
    cluster.apply(pod('other', { container: {} }))
    cluster.run(5)
    const target = { mode: 'all', selector: { namespaces: ['app'], labelSelectors: { app: 'other' } } }
    cluster.apply(networkChaos('cut', { action: 'partition', direction: 'both', duration: '20s', target }))
    cluster.run(0.05)
    const early = records(read(cluster, 'cut', 'networkchaos.chaos-mesh.org'))
    expect(early.map(({ phase }) => phase)).toEqual(Array(3).fill('Not Injected/Wait'))
    cluster.run(2)
    const chaos = read(cluster, 'cut', 'networkchaos.chaos-mesh.org')
    expect(records(chaos).map(({ selectorKey, phase }) => `${selectorKey} ${phase}`)).toEqual([
      '. Injected',
      '. Injected',
      '.Target Injected',
    ])
    expect(chaos.status?.instances).toEqual(Object.fromEntries(records(chaos).map(({ id }) => [id, 1])))
    cluster.run(20)
    const over = read(cluster, 'cut', 'networkchaos.chaos-mesh.org')
    expect(conditions(over)).toMatchObject({ AllInjected: 'False', AllRecovered: 'True' })
    expect(records(over).every(({ recoveredCount }) => recoveredCount === 1)).toBe(true)
  })
})

describe('the choice of targets', () => {
  const chosen = (spec: Record<string, unknown>, seed = 1) => {
    const cluster = new TestCluster(seed)
    cluster.apply(deployment('web', { replicas: 5 }))
    cluster.run(20)
    cluster.apply(podChaos('fail', { action: 'pod-failure', duration: '1m', ...spec }))
    cluster.run(2)
    return records(read(cluster, 'fail')).map(({ id }) => id)
  }

  it('follows the mode', () => {
    expect(chosen({ mode: 'one' })).toHaveLength(1)
    expect(chosen({ mode: 'all' })).toHaveLength(5)
    expect(new Set(chosen({ mode: 'fixed', value: '3' })).size).toBe(3)
    expect(chosen({ mode: 'fixed', value: '30' })).toHaveLength(5)
    expect(chosen({ mode: 'fixed-percent', value: '50' })).toHaveLength(2)
    expect(chosen({ mode: 'random-max-percent', value: '100' }).length).toBeLessThanOrEqual(5)
  })

  it('looks in the fault’s own namespace unless told otherwise, and takes pods by name', () => {
    expect(chosen({ mode: 'all', selector: { labelSelectors: { app: 'web' } } })).toHaveLength(5)
    expect(chosen({ mode: 'all', selector: { namespaces: ['probe'] } })).toEqual([])
    expect(chosen({ mode: 'all', selector: { pods: { app: ['nobody'] } } })).toEqual([])
  })

  it('is random, and the same for the same seed', () => {
    const picks = [1, 2, 3, 4, 5, 6].map((seed) => chosen({ mode: 'one' }, seed)[0])
    expect(picks[0]).toBe(chosen({ mode: 'one' }, 1)[0])
    expect(new Set(picks).size).toBeGreaterThan(1)
  })
})
