import { connectCluster, type Cluster, type ClusterObject } from '@ordeal/kubernetes'
import { newCycleId } from '@ordeal/shared'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploymentApp } from '../testing/applications.js'
import { startCycle, type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

const CYCLE_MS = 300_000
const app = deploymentApp('front', 1)
const space = (name: string, labels = {}): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
})

describe('what keeps a cycle from a real cluster', () => {
  const open: Cycle[] = []
  const made: ClusterObject[] = []
  let cluster: Cluster
  let folder: string
  const start = async (): Promise<Cycle> => {
    const cycle = await startRealCycle(app)
    open.push(cycle)
    return cycle
  }
  const create = async (object: ClusterObject): Promise<void> => {
    made.push(object)
    await cluster.objects.create(object)
  }
  const isThere = async (name: string) => (await cluster.objects.get(space(name))) !== null
  const unfit = (words: RegExp) => ({ code: 'cluster-unfit', message: expect.stringMatching(words) })

  beforeAll(async () => {
    await reachRealCluster()
    cluster = await connectCluster({ kind: 'kubernetes', context: process.env.ORDEAL_TEST_CONTEXT ?? '' })
    folder = await mkdtemp(join(tmpdir(), 'ordeal-check-'))
  })
  afterAll(async () => {
    for (const object of made) await cluster.objects.remove(object)
    await Promise.all(open.map((cycle) => cycle.cleanUp()))
    await rm(folder, { recursive: true })
  }, CYCLE_MS)

  it(
    'a namespace of its name that somebody else made, which stays',
    async () => {
      const cycle = await start()
      await create(space(cycle.namespace, { owner: 'somebody' }))
      await expect(cycle.measure()).rejects.toMatchObject(unfit(/is there already and was not made by this cycle/))
      expect(await cycle.cleanUp()).toBeNull()
      expect(await cluster.objects.get(space(cycle.namespace))).toMatchObject({
        metadata: { labels: { owner: 'somebody' } },
      })
    },
    CYCLE_MS,
  )

  it(
    'not one that it made itself before it was cut short',
    async () => {
      const cycle = await start()
      await cluster.objects.create(space(cycle.namespace, { 'ordeal.dev/cycle': cycle.id }))
      expect(await cycle.measure()).toMatchObject({ settled: true })
      expect(cycle.notes.join()).toMatch(/version of Chaos Mesh cannot be told/)
      expect(await cycle.cleanUp()).toBeNull()
      expect(await isThere(cycle.namespace)).toBe(false)
    },
    CYCLE_MS,
  )

  it(
    'a Chaos Mesh that does not answer',
    async () => {
      const cycle = await start()
      await create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: cycle.namespace },
        webhooks: [
          {
            name: 'silent.ordeal.dev',
            clientConfig: { url: 'https://127.0.0.1:1/silent' },
            failurePolicy: 'Fail',
            sideEffects: 'None',
            timeoutSeconds: 1,
            admissionReviewVersions: ['v1'],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': cycle.namespace } },
            rules: [
              { apiGroups: ['chaos-mesh.org'], apiVersions: ['*'], operations: ['CREATE'], resources: ['podchaos'] },
            ],
          },
        ],
      })
      await expect(cycle.measure()).rejects.toMatchObject({
        code: 'not-injected',
        message: expect.stringMatching(
          /Chaos Mesh does not take faults: .*silent\.ordeal\.dev.*See that its controller/,
        ),
      })
      expect(await cycle.cleanUp()).toBeNull()
      expect(await isThere(cycle.namespace)).toBe(false)
    },
    CYCLE_MS,
  )

  /** A kubeconfig for nobody in particular, of this server. */
  const kubeconfigFor = async (server: object, user: object): Promise<string> => {
    const file = join(folder, `${newCycleId()}.json`)
    const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }]
    const clusters = [{ name: 'c', cluster: server }]
    await writeFile(
      file,
      JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters, users: [{ name: 'u', user }], contexts }),
    )
    return file
  }

  it(
    'an API server that does not answer',
    async () => {
      const kubeconfig = await kubeconfigFor({ server: 'https://127.0.0.1:50999' }, {})
      const cycle = await startCycle(app, {
        settings: { embeddedUrl: null, kubeconfig },
        target: { kind: 'kubernetes', context: 'x', kubeconfig },
        cycleId: newCycleId(),
        seed: 1,
      })
      await expect(cycle.measure()).rejects.toMatchObject({
        code: 'cluster-lost',
        message: expect.stringMatching(/does not answer: .*ECONNREFUSED/),
      })
    },
    CYCLE_MS,
  )
})
