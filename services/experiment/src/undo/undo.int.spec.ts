import { type ClusterObject, type ObjectRef } from '@ordeal/kubernetes'
import { undoneSchema } from '@ordeal/shared'
import { barePodApp, deploymentApp, hypothesisFor } from '../testing/applications.js'
import { abortedWhenNoted } from '../testing/dying.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'
import { type UndoStep } from './undo-step.js'

const app = deploymentApp('front', 2)

describe('what no duration ends, on the embedded cluster', () => {
  const open: EmbeddedCycle[] = []
  const start = async (application = app): Promise<EmbeddedCycle> => {
    const cycle = await startEmbeddedCycle(application)
    open.push(cycle)
    return cycle
  }
  const read = async <T extends ClusterObject>(cycle: EmbeddedCycle, ref: ObjectRef): Promise<T | null> =>
    (await cycle.look()).objects.get<T>(ref)
  const front = ({ namespace }: EmbeddedCycle): ObjectRef => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'front', namespace },
  })
  const replicas = async (cycle: EmbeddedCycle): Promise<unknown> =>
    ((await read(cycle, front(cycle)))?.spec as { replicas: number }).replicas
  const dieNoted = async (cycle: EmbeddedCycle, why: 'lease-lost' | 'cancelled'): Promise<void> => {
    const context = abortedWhenNoted(cycle.context(0, 'measure'), why)
    await expect(cycle.measure(context)).rejects.toMatchObject({ code: `aborted-${why}` })
  }
  const undone = (cycle: EmbeddedCycle) => cycle.context(0, 'look').artefacts.all('undone', undoneSchema)
  /** Something that was done outside of what Ordeal does by itself. */
  const note = async (cycle: EmbeddedCycle, what: string, steps: UndoStep[]): Promise<void> => {
    const { artefacts, vault } = cycle.context(0, 'look')
    await vault.put(`undo/${what}`, steps)
    await artefacts.put('undo', { id: what, what })
  }
  afterEach(async () => {
    for (const cycle of open.splice(0)) await cycle.close()
  })

  it('is undone, verified and told by the next attempt when its doer died', async () => {
    const cycle = await start()
    await dieNoted(cycle, 'lease-lost')
    expect(await replicas(cycle)).toBe(0)
    const measurement = await cycle.measure()
    expect(cycle.notes).toContain('found and undone: Deployment/front scaled to 0')
    expect(measurement).toMatchObject({
      settled: true,
      attempt: 2,
      steadyStates: [{ negativeControl: { failed: true } }, { negativeControl: { failed: true } }],
    })
    expect(await replicas(cycle)).toBe(2)
    expect(await undone(cycle)).toMatchObject([{ by: 'found' }, { by: 'plan' }])
  })

  it('is undone at once by a cancel', async () => {
    const cycle = await start()
    await dieNoted(cycle, 'cancelled')
    expect(await replicas(cycle)).toBe(2)
    expect(await cycle.cleanUp()).toBeNull()
    expect(await undone(cycle)).toMatchObject([{ what: 'Deployment/front scaled to 0', by: 'removed' }])
  })

  it('is undone before the next run, too: a bare pod is made again', async () => {
    const bare = barePodApp('front')
    const cycle = await start(bare)
    await cycle.measure()
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'front', namespace: cycle.namespace } }
    const { objects } = await cycle.look()
    await note(cycle, 'Pod/front deleted', [
      {
        do: 'create',
        object: { ...pod, metadata: { ...pod.metadata, labels: { app: 'front' } }, spec: bare.objects[0]?.spec },
      },
      { do: 'remove', ref: { ...pod, kind: 'ConfigMap', metadata: { ...pod.metadata, name: 'scratch' } } },
    ])
    await objects.remove(pod)
    expect((await cycle.run(hypothesisFor(bare))).problem).toBeNull()
    expect(cycle.notes).toContain('found and undone: Pod/front deleted')
  })

  it('that cannot be undone keeps the run from being judged, and the reason is told', async () => {
    const cycle = await start()
    await cycle.measure()
    await note(cycle, 'Deployment/front scaled to -1', [
      { do: 'patch', ref: front(cycle), patch: { spec: { replicas: -1 } } },
    ])
    const { problem } = await cycle.run(hypothesisFor(app))
    expect(problem).toMatchObject({ reason: 'not-recovered', message: expect.stringContaining('spec.replicas') })
  })

  it('outside of the namespaces that go is undone by the clean-up', async () => {
    const cycle = await start()
    await cycle.measure()
    const { objects } = await cycle.look()
    const [node] = await objects.list({ apiVersion: 'v1', kind: 'Node' })
    const ref = { apiVersion: 'v1', kind: 'Node', metadata: { name: node?.metadata.name ?? '' } }
    await note(cycle, 'Node cordoned', [{ do: 'patch', ref, patch: { spec: { unschedulable: null } } }])
    await objects.patch(ref, { spec: { unschedulable: true } })
    expect(await cycle.cleanUp()).toBeNull()
    expect(cycle.notes).toContain('found and undone: Node cordoned')
    expect((await undone(cycle)).at(-1)).toMatchObject({ what: 'Node cordoned', by: 'found' })
  })
})
