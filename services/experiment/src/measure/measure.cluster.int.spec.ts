import { deploymentApp } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** Whole cycles, several at once, on a machine that may be busy. */
const CYCLE_MS = 600_000
/** Until an application that will never be ready is given up. */
const READY_MS = 45_000

type Container = Record<string, unknown>

/** An application whose container is not as it should be. */
function broken(container: Container, more: Record<string, unknown>[] = []): Application {
  const app = deploymentApp('front', 1)
  const [deployment, ...rest] = structuredClone(app.objects) as [
    { spec: { template: { spec: { containers: Container[] } } } },
    ...Record<string, unknown>[],
  ]
  Object.assign(deployment.spec.template.spec.containers[0] ?? {}, container)
  return { ...app, objects: [deployment, ...rest, ...more] }
}

const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard: { pods: '0' } } }
const crash = { image: 'busybox:1.36', command: ['sh', '-c', 'echo no database at db:5432; exit 3'] }

const BROKEN = {
  image: [broken({ image: 'ordeal/nowhere:9' }), /image ordeal\/nowhere:9 of container front cannot be used/],
  crash: [broken(crash), /front crashes.*exit code 3.*no database at db:5432/],
  room: [broken({ resources: { requests: { memory: '900Gi' } } }), /no node takes pod front-.*Insufficient memory/],
  probe: [
    broken({ readinessProbe: { httpGet: { path: '/healthz', port: 9999 }, periodSeconds: 2 } }),
    /front is not ready: Readiness probe failed.*9999/,
  ],
  quota: [broken({}, [quota]), /pods of ReplicaSet\/front-.* are refused: .*exceeded quota/],
} as const satisfies Record<string, readonly [Application, RegExp]>

describe('measure on a real cluster', () => {
  const open: Cycle[] = []
  const measure = async (app: Application) => {
    const cycle = await startRealCycle(app, { readyMs: READY_MS })
    open.push(cycle)
    return cycle.measure()
  }
  let measured: Record<string, ReturnType<typeof measure>>
  beforeAll(async () => {
    await reachRealCluster()
    const works = Object.entries(BROKEN).map(([name, [app]]) => [name, () => measure(app)] as const)
    measured = atOnce(Object.fromEntries(works))
  })
  afterAll(async () => {
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, CYCLE_MS)

  it.each(Object.entries(BROKEN))(
    'finds out why an application does not come to work: %s',
    async (name, [, cause]) => {
      expect(await measured[name]).toMatchObject({ settled: false, cause: expect.stringMatching(cause) })
    },
    CYCLE_MS,
  )
})
