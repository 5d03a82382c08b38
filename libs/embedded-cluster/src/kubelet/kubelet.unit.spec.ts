import { type Pod } from '../controllers/objects.js'
import { deployment, liveness, pod, podChaos, readiness, START_MS, TestCluster } from '../engine-fixture.spec.js'

const at = (time: string | undefined): number => (Date.parse(time ?? '') - START_MS) / 1000
const conditionTime = (one: Pod, type: string): number =>
  at(one.status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime)
const status = (one: Pod) => one.status?.containerStatuses?.[0]

describe('the start of a pod', () => {
  it('takes one to two seconds and is told in events', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: {} }))
    const took = cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    expect(took).toBeGreaterThan(0.6)
    expect(took).toBeLessThan(2.6)
    expect(cluster.events('web')).toEqual([
      expect.stringMatching(/^Scheduled: Successfully assigned app\/web to node-\d$/),
      'Pulled: Container image "ordeal/testapp:1" already present on machine',
      'Created: Created container: web',
      'Started: Started container web',
    ])
    const { phase, podIP, hostIP, qosClass, conditions } = cluster.pod('web').status ?? {}
    expect({ phase, podIP, hostIP, qosClass }).toEqual({
      phase: 'Running',
      podIP: expect.stringMatching(/^10\.244\.[012]\.\d+$/),
      hostIP: expect.stringMatching(/^10\.0\.0\.1[123]$/),
      qosClass: 'BestEffort',
    })
    expect(conditions?.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ])
  })

  it('waits for a ConfigMap that is not there', () => {
    const cluster = new TestCluster()
    const env = [{ name: 'STARTUP', valueFrom: { configMapKeyRef: { name: 'settings', key: 'startup' } } }]
    cluster.apply(pod('web', { container: { env } }))
    cluster.run(30)
    expect(status(cluster.pod('web'))?.state).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'configmap "settings" not found' },
    })
    cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { startup: '1s' } })
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1, 20)
  })

  it('waits for a volume whose Secret is not there', () => {
    const cluster = new TestCluster()
    const volumes = [{ name: 'keys', secret: { secretName: 'keys' } }]
    cluster.apply(pod('web', { container: {}, podSpec: { volumes } }))
    cluster.run(30)
    expect(cluster.pod('web').status?.phase).toBe('Pending')
    expect(cluster.events('web')).toContain(
      'FailedMount: MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
    )
    cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, data: {} })
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1, 20)
  })
})

describe('probes', () => {
  it('make a pod ready at the first tick of the period after start-up and initial delay', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { env: { STARTUP: '7s' } }))
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    const started = at(status(cluster.pod('web'))?.state.running?.startedAt)
    const ready = conditionTime(cluster.pod('web'), 'Ready')
    expect(ready - started).toBeGreaterThanOrEqual(6)
    expect(ready - started).toBeLessThanOrEqual(10)
    const refused = cluster.events('web').filter((event) => event.includes('connection refused'))
    expect(refused[0]).toMatch(
      /^Unhealthy: Readiness probe failed: Get "http:\/\/10.*:8080\/healthz": dial tcp .*refused$/,
    )
  })

  it('of readiness start their period anew when the kubelet sees the container run', () => {
    const cluster = new TestCluster()
    const readinessProbe = { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 9, periodSeconds: 10 }
    cluster.apply(pod('web', { container: { readinessProbe } }))
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    const started = at(status(cluster.pod('web'))?.state.running?.startedAt)
    expect(cluster.now - started).toBeGreaterThan(10)
    expect(cluster.now - started).toBeLessThan(12.1)
  })

  it('hold readiness and liveness back until the start-up probe succeeds', () => {
    const cluster = new TestCluster()
    const startupProbe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 40 }
    const eager = {
      livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 1 },
    }
    cluster.apply(pod('web', { env: { STARTUP: '20s' }, container: { ...eager, ...readiness, startupProbe } }))
    cluster.runUntilTrue(() => cluster.readyPods('web').length === 1)
    expect(status(cluster.pod('web'))?.restartCount).toBe(0)
    expect(cluster.now).toBeGreaterThan(20)
  })

  it('restart a container that fails its liveness probe, with growing delays', () => {
    const cluster = new TestCluster()
    const livenessProbe = { tcpSocket: { port: 9 }, periodSeconds: 1, failureThreshold: 2 }
    cluster.apply(pod('web', { container: { livenessProbe } }))
    cluster.run(12)
    // The first two come at once: only an end before the last counts for the kubelet when it kills a container itself.
    expect(status(cluster.pod('web'))?.restartCount).toBe(2)
    expect(cluster.events('web')).toContain('Killing: Container web failed liveness probe, will be restarted')
    const starts: number[] = []
    let seen = 2
    while (starts.length < 5) {
      cluster.runUntilTrue(() => (status(cluster.pod('web'))?.restartCount ?? 0) > seen, 400)
      seen = status(cluster.pod('web'))?.restartCount ?? 0
      starts.push(cluster.now)
    }
    const gaps = starts.slice(1).map((time, i) => time - (starts[i] ?? 0))
    for (const [index, expected] of [20, 40, 80, 160].entries()) {
      expect(gaps[index]).toBeGreaterThan(expected)
      // The kubelet looks every 10 to 15 s whether a wait is over.
      expect(gaps[index]).toBeLessThan(expected + 22)
    }
    cluster.run(30)
    expect(status(cluster.pod('web'))?.state.waiting?.message).toMatch(
      /^back-off 5m0s restarting failed container=web pod=web_app\([0-9a-f-]+\)$/,
    )
  })

  it('keep a pod out of service while it does not answer in time', () => {
    const cluster = new TestCluster()
    const slow = { readinessProbe: { httpGet: { path: '/slow', port: 8080 }, periodSeconds: 2 } }
    cluster.apply(pod('web', { env: { WORK: '1500ms' }, container: slow }))
    cluster.run(30)
    expect(cluster.readyPods('web')).toEqual([])
    expect(cluster.events('web').join('\n')).toContain('context deadline exceeded')
  })
})

describe('the end of a container', () => {
  it('is final for restartPolicy Never, and the phase tells how it ended', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { env: { WORKERS: 'many' }, container: {}, podSpec: { restartPolicy: 'Never' } }))
    cluster.run(60)
    const { phase, containerStatuses } = cluster.pod('web').status ?? {}
    expect(phase).toBe('Failed')
    expect(containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 2, reason: 'Error' })
    expect(containerStatuses?.[0]?.restartCount).toBe(0)
  })

  it('is followed by restarts and CrashLoopBackOff otherwise; both logs can be read', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { env: { STARTUP: 'soon' }, container: {} }))
    // The end itself is shown until the kubelet looks again.
    cluster.runUntilTrue(() => status(cluster.pod('web'))?.state.waiting?.reason === 'CrashLoopBackOff', 60)
    const container = status(cluster.pod('web'))
    expect(container?.lastState.terminated?.exitCode).toBe(2)
    expect(cluster.events('web').join('\n')).toMatch(/BackOff: Back-off restarting failed container web in pod web_app/)
    for (const previous of [true, false]) {
      const lines = cluster.engine.logs({ namespace: 'app', pod: 'web', container: null, previous })
      expect(lines.map(({ text }) => text)).toEqual(['STARTUP: time: invalid duration "soon"'])
    }
  })

  it('has code 137 after a SIGKILL, 0 when the program heeded SIGTERM', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: {} }))
    cluster.run(5)
    cluster.apply(podChaos('kill', { action: 'container-kill', containerNames: ['web'] }))
    cluster.runUntilTrue(() => status(cluster.pod('web'))?.restartCount === 1)
    expect(status(cluster.pod('web'))?.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'Error' })
  })
})

describe('the deletion of a pod', () => {
  const deleted = (cluster: TestCluster, graceSeconds: number) =>
    cluster.store.remove('pods', 'app', 'web', { graceSeconds })

  it('ends as soon as its program has', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: {} }))
    cluster.run(5)
    deleted(cluster, 30)
    const took = cluster.runUntilTrue(() => cluster.pods().length === 0)
    expect(took).toBeLessThan(1)
    expect(cluster.events('web')).toContain('Killing: Stopping container web')
  })

  it('waits for preStop, and for the grace period at most', () => {
    const lasting = (lifecycle: unknown, grace: number) => {
      const cluster = new TestCluster()
      cluster.apply(pod('web', { container: { lifecycle } }))
      cluster.run(5)
      deleted(cluster, grace)
      return cluster.runUntilTrue(() => cluster.pods().length === 0)
    }
    const sleep = { preStop: { sleep: { seconds: 8 } } }
    expect(Math.floor(lasting(sleep, 30))).toBe(8)
    expect(Math.floor(lasting({ preStop: { exec: { command: ['sh', '-c', 'sleep 6'] } } }, 30))).toBe(6)
    expect(lasting(sleep, 4)).toBeLessThan(7)
  })

  it('leaves nothing running behind', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { replicas: 2, container: { ...readiness, ...liveness } }))
    cluster.run(20)
    const addresses = cluster.pods().map(({ status: { podIP } = {} }) => podIP ?? '')
    cluster.store.remove('deployments.apps', 'app', 'web')
    cluster.run(60)
    expect(cluster.pods()).toEqual([])
    expect(addresses.map((ip) => cluster.engine.network.peer(ip))).toEqual([undefined, undefined])
    const before = cluster.kernel.eventsRun
    cluster.run(600)
    expect(cluster.kernel.eventsRun - before).toBeLessThan(20)
  })
})

describe('logs that cannot be read', () => {
  it('are refused in the words of the API server', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: {} }))
    const read = (more: object) => () =>
      cluster.engine.logs({ namespace: 'app', pod: 'web', container: null, previous: false, ...more })
    expect(read({ pod: 'none' })).toThrow('pods "none" not found')
    expect(read({})).toThrow('container "web" in pod "web" is waiting to start: ContainerCreating')
    expect(read({ container: 'db' })).toThrow('container db is not valid for pod web')
    cluster.run(5)
    expect(read({ previous: true })).toThrow('previous terminated container "web" in pod "web" not found')
  })
})
