import { deployment, httpProbe, readiness, service, TestCluster, type AppOptions } from '../engine-fixture.spec.js'
import { type Pod } from '../controllers/objects.js'
import { type K8sObject } from '../store/object.js'
import { type Autoscaler } from './autoscaler.js'
import { countReplicas, type Metric, MetricError } from './count-replicas.js'
import { limitScaling } from './limit-scaling.js'

type Fields = Record<string, unknown>

const cpuTarget = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

function autoscaler(spec: Fields = {}): K8sObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 4, metrics: [cpuTarget(50)], ...spec },
  }
}

/** A deployment that asks for 20m, and its autoscaler. */
function started(spec: Fields = {}, options: AppOptions = {}): TestCluster {
  const cluster = new TestCluster()
  const container = { ...readiness, resources: { requests: { cpu: '20m', memory: '32Mi' } } }
  cluster.apply(deployment('web', { container, ...options }))
  cluster.apply(service('web'))
  cluster.apply(autoscaler(spec))
  return cluster
}

const stored = (cluster: TestCluster) =>
  cluster.store.get<Autoscaler>('horizontalpodautoscalers.autoscaling', 'app', 'web') as Autoscaler
const replicas = (cluster: TestCluster) =>
  (cluster.store.get('deployments.apps', 'app', 'web')?.spec as { replicas: number }).replicas
const conditions = (cluster: TestCluster) =>
  Object.fromEntries(
    (stored(cluster).status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason ?? ''}`]),
  )

describe('a HorizontalPodAutoscaler, as recorded on a real cluster', () => {
  it('has nothing to say before there are metrics', () => {
    const cluster = started()
    cluster.run(16)
    expect(conditions(cluster)).toEqual({
      AbleToScale: 'True SucceededGetScale',
      ScalingActive: 'False FailedGetResourceMetric',
    })
    expect(stored(cluster).status).toMatchObject({
      currentMetrics: [{ type: '' }],
      currentReplicas: 1,
      desiredReplicas: 0,
    })
    expect(cluster.events('web')).toContain(
      'FailedGetResourceMetric: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
    )
  })

  it('leaves an idle workload alone', () => {
    const cluster = started()
    cluster.run(60)
    expect(conditions(cluster)).toEqual({
      AbleToScale: 'True ReadyForNewScale',
      ScalingActive: 'True ValidMetricFound',
      ScalingLimited: 'False DesiredWithinRange',
    })
    const current = { averageUtilization: 5, averageValue: '1m' }
    expect(stored(cluster).status).toMatchObject({
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current } }],
      currentReplicas: 1,
      desiredReplicas: 1,
    })
  })

  it('adds pods under load, and takes them away five minutes after it', () => {
    const cluster = started()
    cluster.run(30)
    // 40 requests a second use 14 of the 20m that were asked for: 70 % and more.
    cluster.startProber([httpProbe('web', 'http://web.app', 40)])
    cluster.runUntilTrue(() => replicas(cluster) === 2, 90)
    const text = 'SuccessfulRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target'
    expect(cluster.events('web')).toContain(text)
    expect(stored(cluster).status?.lastScaleTime).toBeDefined()
    cluster.run(60)
    cluster.store.remove('pods', 'probe', 'prober')
    cluster.run(90)
    expect(conditions(cluster).AbleToScale).toBe('True ScaleDownStabilized')
    expect(replicas(cluster)).toBe(2)
    cluster.runUntilTrue(() => replicas(cluster) === 1, 400)
    expect(cluster.events('web')).toContain('SuccessfulRescale: New size: 1; reason: All metrics below target')
  })

  it('keeps replicas within its bounds, and leaves a workload that is at nought there', () => {
    const cluster = started({}, { replicas: 6 })
    cluster.run(20)
    expect(replicas(cluster)).toBe(4)
    expect(cluster.events('web')).toContain(
      'SuccessfulRescale: New size: 4; reason: Current number of replicas above Spec.MaxReplicas',
    )
    const off = started({}, { replicas: 0 })
    off.run(20)
    expect(replicas(off)).toBe(0)
    expect(conditions(off).ScalingActive).toBe('False ScalingDisabled')
    expect(stored(off).status?.currentReplicas).toBeUndefined()
  })

  it('says what it lacks', () => {
    const gone = started({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } })
    gone.run(20)
    expect(conditions(gone)).toEqual({ AbleToScale: 'False FailedGetScale' })
    expect(gone.events('web')).toContain('FailedGetScale: deployments.apps "other" not found')
    const silent = started({}, { container: readiness })
    silent.run(60)
    expect(silent.events('web').join('\n')).toContain(
      'failed to get cpu utilization: missing request for cpu in container web of Pod web-',
    )
  })

  it('scales by memory, too', () => {
    const target = { type: 'AverageValue', averageValue: '2Mi' }
    const cluster = started({ metrics: [{ type: 'Resource', resource: { name: 'memory', target } }] })
    cluster.run(120)
    // A test app holds 5.5 MiB: more and more are needed, up to the bound.
    expect(replicas(cluster)).toBe(4)
    expect(conditions(cluster).ScalingLimited).toBe('True TooManyReplicas')
  })
})

describe('countReplicas', () => {
  const nowMs = 1_000_000_000
  const startTime = new Date(nowMs - 900_000).toISOString()

  function pod(name: string, { ready = 'True', phase = 'Running' } = {}): Pod {
    const conditions = [{ type: 'Ready', status: ready, lastTransitionTime: startTime }]
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }]
    return { metadata: { name }, spec: { containers }, status: { phase, startTime, conditions } } as unknown as Pod
  }

  /** Millicores by pod; null without metrics. */
  function count(use: Record<string, number | null>, pods: readonly Pod[], more: Partial<Metric> = {}): number {
    const metric: Metric = { resource: 'cpu', container: null, target: cpuTarget(50).resource.target, ...more }
    const usageOf = ({ metadata }: Pod) => {
      const milli = use[metadata.name] ?? null
      return milli === null
        ? null
        : { containers: [{ name: 'c', cpuCores: milli / 1000, memoryBytes: 0 }], endMs: nowMs }
    }
    return countReplicas(metric, { pods, current: pods.length, nowMs, usageOf }).replicas
  }

  const [a, b, c] = [pod('a'), pod('b'), pod('c')]

  it('brings the mean to the target', () => {
    expect(count({ a: 100, b: 100 }, [a, b])).toBe(4)
    expect(count({ a: 10, b: 10 }, [a, b])).toBe(1)
  })

  it('does nothing within a tenth of the target, or the tolerance that is set', () => {
    expect(count({ a: 55, b: 54 }, [a, b])).toBe(2)
    expect(count({ a: 55, b: 54 }, [a, b], { tolerance: { up: 0.01, down: 0.1 } })).toBe(3)
  })

  it('takes pods without metrics for idle on the way up and for busy on the way down', () => {
    expect(count({ a: 100, b: 100, c: null }, [a, b, c])).toBe(4)
    expect(count({ a: 10, b: 10, c: null }, [a, b, c])).toBe(3)
  })

  it('takes pods that are not ready for idle on the way up', () => {
    const starting = pod('c', { ready: 'False' })
    expect(count({ a: 100, b: 100, c: 400 }, [a, b, starting])).toBe(4)
    expect(count({ a: 60, b: 60, c: 400 }, [a, b, starting])).toBe(3)
  })

  it('tells why it cannot count', () => {
    expect(() => count({}, [a])).toThrow(MetricError)
    expect(() => count({ a: 10 }, [pod('a', { ready: 'False' })])).toThrow('pods might be unready')
  })
})

describe('limitScaling', () => {
  const limit = (behavior: Autoscaler['spec']['behavior'], wish: { current: number; desired: number }, more = {}) => {
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 100, behavior }
    const history = { recommendations: [], ups: [], downs: [], ...more }
    return limitScaling({ spec } as unknown as Autoscaler, { ...wish, nowMs: 600_000 }, history)
  }

  it('lets a workload double, or go to four, at a time', () => {
    expect(limit(undefined, { current: 1, desired: 50 })).toMatchObject({ replicas: 4, limit: 'ScaleUpLimit' })
    expect(limit(undefined, { current: 10, desired: 50 })).toMatchObject({ replicas: 20 })
    expect(limit(undefined, { current: 60, desired: 500 })).toMatchObject({ replicas: 100, limit: 'TooManyReplicas' })
  })

  it('keeps to the highest recommendation of the last five minutes on the way down', () => {
    const recommendations = [
      { atMs: 200_000, replicas: 30 },
      { atMs: 400_000, replicas: 7 },
    ]
    expect(limit(undefined, { current: 10, desired: 2 }, { recommendations })).toMatchObject({
      replicas: 7,
      stabilized: 'down',
    })
    const window = { scaleDown: { stabilizationWindowSeconds: 0 } }
    expect(limit(window, { current: 10, desired: 2 }, { recommendations })).toMatchObject({
      replicas: 2,
      stabilized: null,
    })
  })

  it('keeps to policies, less what was done in their period', () => {
    const policies = [{ type: 'Pods', value: 3, periodSeconds: 60 }]
    const up = { scaleUp: { policies } }
    expect(limit(up, { current: 5, desired: 50 })).toMatchObject({ replicas: 8, limit: 'ScaleUpLimit' })
    expect(limit(up, { current: 7, desired: 50 }, { ups: [{ atMs: 590_000, by: 2 }] })).toMatchObject({ replicas: 8 })
    const down = { scaleDown: { policies, stabilizationWindowSeconds: 0 } }
    expect(limit(down, { current: 10, desired: 1 })).toMatchObject({ replicas: 7, limit: 'ScaleDownLimit' })
  })

  it('selects among policies, or does not move at all', () => {
    const policies = [
      { type: 'Pods', value: 1, periodSeconds: 60 },
      { type: 'Percent', value: 50, periodSeconds: 60 },
    ]
    const of = (selectPolicy: string) =>
      limit({ scaleUp: { selectPolicy, policies } }, { current: 10, desired: 50 }).replicas
    expect([of('Max'), of('Min'), of('Disabled')]).toEqual([15, 11, 10])
  })
})
