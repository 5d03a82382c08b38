import { KubeConfig } from '@kubernetes/client-node'
import { CHAOS_API, connectCluster, type Cluster, type ClusterObject } from '@ordeal/kubernetes'
import { newCycleId } from '@ordeal/shared'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { startCycle, type Cycle } from '../testing/cycle.js'
import { sleepingBefore } from '../testing/dying.js'
import { reachRealCluster } from '../testing/real-cycle.js'
import { QUARANTINE, type PoolLease } from './pool.js'
import { poolOf, poolRoles } from './pool-manifests.js'

const CYCLE_MS = 600_000
const context = process.env.ORDEAL_TEST_CONTEXT ?? ''
const tenant = `spec-${newCycleId().slice(4, 10)}`
const home = `ordeal-home-${tenant}`
const space = `ordeal-pool-${tenant}-1`
const app = deploymentApp('front', 1)

describe('a place of a pool whose holder sleeps past its time, on a real cluster', () => {
  let cluster: Cluster
  let folder: string
  let kubeconfig: string
  const roles = new Set(poolRoles().map(({ metadata }) => metadata.name))
  /** Namespaces, leases and their labels; whoever comes here has rights enough. */
  const manifests = poolOf({ tenant, namespaces: 1, custom: [], chaosNamespace: 'chaos-mesh' }).filter(
    ({ roleRef }) => !roles.has((roleRef as { name?: string } | undefined)?.name ?? ''),
  )
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: space, namespace: home } }
  const readLease = async () => {
    const found = await cluster.objects.get<PoolLease>(lease)
    const { holderIdentity: holder = null, leaseTransitions: token = 0 } = found?.spec ?? {}
    return { holder, token, quarantined: found?.metadata.annotations?.[QUARANTINE] !== undefined }
  }
  const start = (): Promise<Cycle> =>
    startCycle(app, {
      settings: { embeddedUrl: null, kubeconfig },
      target: { kind: 'kubernetes', context, kubeconfig },
      cycleId: newCycleId(),
      seed: 1,
    })
  const pods = async (): Promise<(string | undefined)[]> => {
    const found = await cluster.objects.list({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: space,
      labels: { app: 'front' },
    })
    return found.map(({ metadata }) => metadata.uid)
  }
  const faults = (): Promise<ClusterObject[]> =>
    cluster.objects.list({ apiVersion: CHAOS_API, kind: 'PodChaos', namespace: space })

  beforeAll(async () => {
    await reachRealCluster()
    folder = await mkdtemp(join(tmpdir(), 'ordeal-takeover-'))
    kubeconfig = join(folder, 'config')
    const config = new KubeConfig()
    config.loadFromDefault()
    const contexts = config.getContexts().map((one) => (one.name === context ? { ...one, namespace: home } : one))
    config.loadFromOptions({ clusters: config.clusters, users: config.users, contexts, currentContext: context })
    await writeFile(kubeconfig, config.exportConfig())
    cluster = await connectCluster({ kind: 'kubernetes', context, kubeconfig })
    for (const object of manifests) await cluster.objects.create(object)
  }, CYCLE_MS)
  afterAll(async () => {
    for (const object of manifests) await cluster.objects.remove(object)
    await rm(folder, { recursive: true })
  }, CYCLE_MS)

  it(
    'is given to another, who empties it; the sleeper injects nothing any more, and cleans up nothing of his',
    async () => {
      const sleeper = await start()
      expect(await sleeper.measure()).toMatchObject({ settled: true })
      const { token } = await readLease()
      const next = await start()
      let taken: (string | undefined)[] = []
      const takeOver = async (): Promise<void> => {
        const before = await pods()
        await cluster.objects.patch(lease, { spec: { renewTime: '2020-01-01T00:00:00.000000Z' } })
        expect(await next.measure()).toMatchObject({ settled: true })
        taken = await pods()
        expect(taken).toHaveLength(1)
        expect(before).not.toContain(taken[0])
      }
      const asleep = sleepingBefore(sleeper.context(0, 'run'), 'moment-0', takeOver)
      await expect(sleeper.run(hypothesisFor(app, { durationMs: 10_000 }), 0, asleep)).rejects.toMatchObject({
        code: 'namespace-lost',
        message: expect.stringContaining(next.id),
      })
      expect(next.notes.join()).toContain(`left behind by ${sleeper.id}, is ours`)
      expect(await readLease()).toMatchObject({ holder: next.id, token: token + 1 })
      expect(await faults()).toEqual([])
      expect(await sleeper.cleanUp()).toBeNull()
      expect(await pods()).toEqual(taken)

      // What came of the sleeper does not touch what the next one finds.
      const run = await next.run(hypothesisFor(app, { durationMs: 10_000 }))
      expect([null, 'prober-lost']).toContain(run.problem?.reason ?? null)
      expect(run.injections[0]?.evidence.record).not.toBeNull()
      expect(await next.cleanUp()).toBeNull()
      expect(await readLease()).toMatchObject({ holder: null, quarantined: false })
    },
    CYCLE_MS,
  )
})
