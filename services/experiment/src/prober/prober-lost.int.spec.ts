import { type ClusterObject } from '@ordeal/kubernetes'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'

const app = deploymentApp('front', 1)

describe('a cluster that does not take the prober', () => {
  let cycle: EmbeddedCycle
  afterEach(() => cycle.close())
  const create = async (object: ClusterObject) => (await cycle.look()).objects.create(object)

  it('since no node has room for it leaves a run without a verdict, in the words of the scheduler', async () => {
    cycle = await startEmbeddedCycle(app)
    await cycle.measure()
    const { objects } = await cycle.look()
    for (const node of await objects.list({ apiVersion: 'v1', kind: 'Node' })) {
      await objects.patch(node, { spec: { unschedulable: true } })
    }
    const { problem } = await cycle.run(hypothesisFor(app))
    expect(problem).toMatchObject({
      reason: 'prober-lost',
      message: expect.stringMatching(
        /does not start: its pod is Pending \(0\/\d nodes are available.*\)\. No node has room/,
      ),
    })
  })

  it('since it is against a quota leaves a run without a verdict, in the words of the API server', async () => {
    cycle = await startEmbeddedCycle(app)
    await cycle.measure()
    const namespace = `${cycle.namespace}-prober`
    const metadata = { name: 'none', namespace }
    await create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '0' } } })
    const { clock } = await cycle.look()
    await clock.waitUntil((await clock.now()) + 5000, new AbortController().signal)
    const { problem } = await cycle.run(hypothesisFor(app))
    expect(problem).toMatchObject({
      reason: 'prober-lost',
      message: expect.stringMatching(
        /does not take the prober prober-r0: .*exceeded quota.*Let namespace .*-prober have it/,
      ),
    })
  })

  it('but another program in its place ends the measurement, and the application is not blamed for it', async () => {
    cycle = await startEmbeddedCycle(app, { options: { proberImage: 'nowhere/prober:9' } })
    await expect(cycle.measure()).rejects.toMatchObject({
      code: 'prober-lost',
      message: expect.stringMatching(
        /prober-measure measures nothing\. See that nowhere\/prober:9 is .*--prober-image/,
      ),
    })
  })
})
