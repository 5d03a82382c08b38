import { deployment, httpProbe, pod, podChaos, service, TestCluster } from '../engine-fixture.spec.js'
import { type K8sObject } from '../store/object.js'
import { type ContainerStatus } from '../controllers/objects.js'
import { memorySize } from '../chaos/memory-size.js'
import { UsageMeter } from './usage-meter.js'
import { NodeCompute } from './node-compute.js'

const MEBIBYTE = 1024 * 1024
const resources = (limits: object, requests: object = {}) => ({ resources: { limits, requests } })

function stressChaos(name: string, stressors: object, more: object = {}): K8sObject {
  return { ...podChaos(name, { mode: 'all', duration: '30s', stressors, ...more }), kind: 'StressChaos' }
}

const statusOf = (cluster: TestCluster, name = 'web'): ContainerStatus =>
  cluster.pod(name).status?.containerStatuses?.[0] as ContainerStatus

/** Latencies in ms of the samples between two moments (seconds since the start), in order of size. */
function latencies(cluster: TestCluster, from: number, to: number): number[] {
  const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1000
  const within = cluster.samples('web').filter((line) => line.at >= at(from) && line.at < at(to))
  return within.map(({ latencyMs }) => latencyMs ?? 2000).sort((a, b) => a - b)
}

describe('UsageMeter', () => {
  it('means what was used over the last whole window, in lumps or all the time', () => {
    const meter = new UsageMeter(0)
    meter.add(1000, 150)
    expect(meter.mean(14_999)).toBeNull()
    expect(meter.mean(15_000)).toBeCloseTo(0.01)
    meter.setRate(20_000, 2)
    expect(meter.mean(30_000)).toBeCloseTo((2 * 10) / 15)
    expect(meter.mean(90_000)).toBeCloseTo(2)
    meter.setRate(100_000, 0)
    expect(meter.mean(105_000)).toBeCloseTo((2 * 10) / 15)
    expect(meter.endOfWindow(200_000)).toBe(195_000)
    expect(meter.mean(200_000)).toBe(0)
  })
})

describe('CPU of a node', () => {
  const limits = { cpuLimit: null, cpuRequest: 0.1, memoryLimit: null, baseMemory: 0, requestMemory: 40 * 1024 }

  it('goes to whoever asked for more of it, where it runs short', () => {
    const clock = { now: 0 }
    const node = new NodeCompute(clock, 4, 0)
    const [large, small] = [node.enter({ ...limits, cpuRequest: 3 }), node.enter({ ...limits, cpuRequest: 1 })]
    for (const one of [large, small]) one.stress({ source: 'x', threads: 8, cores: 8, memoryBytes: 0 })
    clock.now = 60_000
    expect(large.cpu.mean(clock.now)).toBeCloseTo(3)
    expect(small.cpu.mean(clock.now)).toBeCloseTo(1)
    large.end()
    clock.now = 120_000
    expect(small.cpu.mean(clock.now)).toBeCloseTo(4)
  })

  it('makes work wait when there is more of it than cores', () => {
    const node = new NodeCompute({ now: 0 }, 2, 0)
    const one = node.enter(limits)
    const waits = Array.from({ length: 100 }, () => one.work(10))
    expect(waits[0]).toBe(0)
    expect(waits[99]).toBeCloseTo((99 * 10) / 2)
  })

  it('is a quota for a container with a limit', () => {
    const clock = { now: 0 }
    const one = new NodeCompute(clock, 4, 0).enter({ ...limits, cpuLimit: 0.1 })
    expect(one.work(10)).toBe(0)
    // A second one owes a whole period's quota, and waits for a core besides.
    expect(one.work(10)).toBeCloseTo(100 + 10 / 4)
    clock.now = 1000
    expect(one.work(10)).toBe(0)
  })
})

describe('a CPU limit', () => {
  it('slows a program down that gets more requests than its quota lets it answer', () => {
    const cluster = new TestCluster()
    // A request takes 0.34 ms of CPU: 2 ms of quota in each 100 ms are enough for 59 requests a second.
    cluster.apply(pod('web', { container: resources({ cpu: '20m' }) }))
    cluster.apply(service('web'))
    cluster.run(5)
    cluster.startProber([httpProbe('web', 'http://web.app', 50)])
    cluster.run(15)
    const calm = latencies(cluster, 10, 20)
    expect(calm.at(-1)).toBeLessThan(10)
    cluster.startProber([httpProbe('more', 'http://web.app', 30)], 'more')
    cluster.run(30)
    const slow = latencies(cluster, 35, 45)
    expect(slow[slow.length >> 1]).toBeGreaterThan(500)
  })
})

describe('StressChaos on CPU', () => {
  it('uses the quota of its container up, and shows in its metrics; as measured on a real node', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: resources({ cpu: '200m' }) }))
    cluster.apply(service('web'))
    cluster.run(5)
    cluster.startProber([httpProbe('web', 'http://web.app', 20)])
    cluster.run(35)
    const calm = latencies(cluster, 20, 40)
    cluster.apply(stressChaos('cpu', { cpu: { workers: 2, load: 80 } }))
    cluster.run(30)
    const stressed = latencies(cluster, 45, 65)
    expect(calm[calm.length >> 1]).toBeLessThan(5)
    // Real: half of all answers within 35 ms, the slowest after 98 ms.
    expect(stressed[stressed.length >> 1]).toBeGreaterThan(25)
    expect(stressed.at(-1)).toBeLessThan(110)
    expect(cluster.engine.usageOf(cluster.pod('web'))?.containers[0]?.cpuCores).toBeCloseTo(0.2, 1)
    cluster.run(60)
    const after = latencies(cluster, 80, 120)
    expect(after.at(-1)).toBeLessThan(5)
    expect(cluster.engine.usageOf(cluster.pod('web'))?.containers[0]?.cpuCores).toBeLessThan(0.02)
  })

  it('writes what the real one writes', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: resources({ cpu: '200m' }) }))
    cluster.run(5)
    cluster.apply(stressChaos('cpu', { cpu: { workers: 2, load: 80 } }))
    cluster.run(3)
    const chaos = () => cluster.store.get('stresschaos.chaos-mesh.org', 'app', 'cpu')
    expect(chaos()?.status).toMatchObject({
      experiment: {
        desiredPhase: 'Run',
        containerRecords: [
          { id: 'app/web/web', phase: 'Injected', injectedCount: 1, recoveredCount: 0, selectorKey: '.' },
        ],
      },
      instances: {
        'app/web/web': {
          memoryStartTime: '1970-01-01T00:00:00Z',
          startTime: expect.stringMatching(/^2026-/) as string,
          uid: expect.stringMatching(/^\d+$/) as string,
        },
      },
    })
    cluster.run(60)
    expect(chaos()?.status).toMatchObject({ experiment: { desiredPhase: 'Stop' } })
    expect((chaos()?.status as { instances?: object }).instances).toBeUndefined()
    expect(cluster.events('cpu').at(-2)).toBe('Recovered: Successfully recover chaos for app/web/web')
  })

  it('finds no target where no container has the name', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web'))
    cluster.run(5)
    cluster.apply(stressChaos('cpu', { cpu: { workers: 1 } }, { containerNames: ['other'] }))
    cluster.run(3)
    expect(cluster.events('cpu')).toContain('Failed: Failed to select targets: no target has been selected')
  })
})

describe('StressChaos on memory', () => {
  it('gets a container killed that has a limit below it, which starts again without the stress', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: resources({ memory: '64Mi' }) }))
    cluster.run(5)
    cluster.apply(stressChaos('mem', { memory: { workers: 1, size: '128MB' } }))
    cluster.run(10)
    const status = statusOf(cluster)
    expect(status.restartCount).toBe(1)
    expect(status.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
    expect(status.state.running).toBeDefined()
    cluster.run(40)
    expect(statusOf(cluster).restartCount).toBe(1)
  })

  it('only shows in the metrics below the limit', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { container: resources({ memory: '256Mi' }) }))
    cluster.run(5)
    cluster.apply(stressChaos('mem', { memory: { workers: 2, size: '100MB' } }))
    cluster.run(20)
    const bytes = () => cluster.engine.usageOf(cluster.pod('web'))?.containers[0]?.memoryBytes ?? 0
    expect(bytes()).toBeCloseTo(1e8 + 5.5 * MEBIBYTE, -3)
    expect(statusOf(cluster).restartCount).toBe(0)
    cluster.run(30)
    expect(bytes()).toBeCloseTo(5.5 * MEBIBYTE, -3)
  })

  it('reads sizes as Chaos Mesh does', () => {
    expect(memorySize('256MB', 0)).toBe(256e6)
    expect(memorySize('25%', 400)).toBe(100)
    expect(memorySize('7', 0)).toBe(7)
    expect([memorySize('foo', 0), memorySize('120%', 1), memorySize(undefined, 1)]).toEqual([null, null, null])
  })
})

describe('a memory limit', () => {
  it('that is smaller than the program ends it in a crash loop', () => {
    const cluster = new TestCluster()
    cluster.apply(deployment('web', { container: resources({ memory: '4Mi' }) }))
    cluster.run(60)
    const status = cluster.pods('web')[0]?.status?.containerStatuses?.[0]
    expect(status?.state.waiting?.reason).toBe('CrashLoopBackOff')
    expect(status?.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it('ends a program that holds more requests than it has memory for', () => {
    const cluster = new TestCluster()
    cluster.apply(pod('web', { env: { WORK: '20s', WORKERS: '1' }, container: resources({ memory: '8Mi' }) }))
    cluster.apply(service('web'))
    cluster.run(5)
    cluster.startProber([httpProbe('web', 'http://web.app', 100)])
    cluster.run(20)
    expect(statusOf(cluster).lastState.terminated ?? statusOf(cluster).state.terminated).toMatchObject({
      reason: 'OOMKilled',
    })
  })
})
