import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'
import { until } from '../testing/real-faults.js'

const CYCLE_MS = 600_000
const app = deploymentApp('front', 1)

/** No node takes new pods in between, so these specs want the cluster for themselves (one jest worker). */
describe('a real cluster that does not take the prober', () => {
  let cycle: Cycle
  beforeAll(async () => {
    await reachRealCluster()
    cycle = await startRealCycle(app)
    expect(await cycle.measure()).toMatchObject({ settled: true })
  }, CYCLE_MS)
  afterAll(async () => expect(await cycle.cleanUp()).toBeNull(), CYCLE_MS)

  it(
    'since it is against a quota leaves a run without a verdict, in the words of the API server',
    async () => {
      const cluster = await cycle.look()
      const metadata = { name: 'none', namespace: `${cycle.namespace}-prober` }
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '0' } } }
      await cluster.objects.create(quota)
      await until(cluster, 'a quota that is counted', async () => {
        const { hard } = ((await cluster.objects.get(quota))?.status ?? {}) as { hard?: unknown }
        return hard !== undefined
      })
      const { problem } = await cycle.run(hypothesisFor(app))
      await cluster.objects.remove(quota)
      expect(problem).toMatchObject({
        reason: 'prober-lost',
        message: expect.stringMatching(
          /does not take the prober prober-r0: .*exceeded quota.*Let namespace .*-prober have it/,
        ),
      })
    },
    CYCLE_MS,
  )

  it(
    'since no node takes it leaves a run without a verdict, in the words of the scheduler',
    async () => {
      const { objects } = await cycle.look()
      const nodes = await objects.list({ apiVersion: 'v1', kind: 'Node' })
      const cordon = async (unschedulable: boolean | null) => {
        for (const node of nodes) await objects.patch(node, { spec: { unschedulable } })
      }
      await cordon(true)
      await cycle.putRevision(1, app.objects)
      const { problem } = await cycle.run(hypothesisFor(app), 1).finally(() => cordon(null))
      expect(problem).toMatchObject({
        reason: 'prober-lost',
        message: expect.stringMatching(
          /does not start: its pod is Pending \(0\/\d+ nodes are available: .*unschedulable.*asks for 200m of cpu, 64Mi of memory/,
        ),
      })
    },
    CYCLE_MS,
  )
})
