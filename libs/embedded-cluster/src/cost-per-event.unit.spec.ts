import { Session } from 'node:inspector/promises'
import type * as Engines from './engine.js'
import type * as Defaults from './schema/defaults.js'
import type * as Fixture from './engine-fixture.spec.js'

/** Steps are counted from the first one on: what V8 has made faster before is not counted. So all is loaded afterwards. */
async function counting(): Promise<{ steps: () => Promise<number>; end: () => void }> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    /** How many blocks of code of the embedded cluster and the prober have run since the last look. */
    steps: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const own = result.filter(({ url }) => /embedded-cluster|prober/.test(url) && !/fixture/.test(url))
      const ranges = own.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
      return ranges.reduce((sum, { count }) => sum + count, 0)
    },
    end: () => session.disconnect(),
  }
}

interface Loaded {
  readonly engines: typeof Engines
  readonly fixture: typeof Fixture
  readonly defaults: typeof Defaults
}

/** Workloads of two pods with probes, of which every tenth is asked ten times a second and each calls another. */
function busyCluster({ engines, fixture, defaults }: Loaded, workloads: number): Engines.Engine {
  const { deployment, httpProbe, readiness, liveness, service } = fixture
  const engine = engines.createEngine({ seed: 1, startMs: fixture.START_MS, nodes: Math.ceil(workloads / 10) })
  const create = (key: 'deployments.apps' | 'services' | 'pods', object: { metadata: object }) =>
    engine.store.create(
      key,
      defaults.withDefaults({ ...object, metadata: { ...object.metadata, namespace: 'default' } } as never),
    )
  const entries = Math.ceil(workloads / 10)
  for (let index = 0; index < workloads; index++) {
    const env: Record<string, string> = index + entries < workloads ? { CALLS: `http://app-${index + entries}/` } : {}
    create(
      'deployments.apps',
      deployment(`app-${index}`, { replicas: 2, env, container: { ...readiness, ...liveness } }),
    )
    create('services', service(`app-${index}`, { clusterIP: `10.96.1.${index}` }))
  }
  const probes = Array.from({ length: entries }, (_, index) => httpProbe(`p-${index}`, `http://app-${index}.default/`))
  const env = [{ name: 'ORDEAL_PROBER', value: JSON.stringify({ probes }) }]
  const spec = { containers: [{ name: 'prober', image: 'ordeal/prober:1', env }] }
  create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'prober' }, spec } as never)
  return engine
}

describe('the work that an event takes', () => {
  it('does not grow with the cluster, counted step by step', async () => {
    const { steps, end } = await counting()
    const loaded = {
      engines: await import('./engine.js'),
      fixture: await import('./engine-fixture.spec.js'),
      defaults: await import('./schema/defaults.js'),
    }
    const perEvent = async (workloads: number): Promise<{ steady: number; start: number }> => {
      const { kernel } = busyCluster(loaded, workloads)
      await steps()
      kernel.runUntil(kernel.now + 30_000)
      const start = (await steps()) / kernel.eventsRun
      const before = kernel.eventsRun
      kernel.runUntil(kernel.now + 20_000)
      return { steady: (await steps()) / (kernel.eventsRun - before), start }
    }
    const [small, large] = [await perEvent(20), await perEvent(200)]
    end()
    expect(small.steady).toBeGreaterThan(50)
    // Only the heap of what is due grows, with the logarithm.
    expect(large.steady / small.steady).toBeLessThan(1.1)
    expect(large.start / small.start).toBeLessThan(1.5)
  }, 120_000)
})
