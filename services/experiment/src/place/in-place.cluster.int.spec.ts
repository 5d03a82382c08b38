import { connectCluster, objectIdOf, type Cluster, type ClusterObject } from '@ordeal/kubernetes'
import { newCycleId, type CycleOptions } from '@ordeal/shared'
import { barePodApp, deploymentApp, faultOn, hypothesisOf } from '../testing/applications.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'
import { mergePatch } from '../sandbox/merge-patch.js'
import { JOURNAL, journalRef } from './journal.js'
import { stateOf } from './live-state.js'
import { SANDBOX_RIGHTS } from './rights.js'

const CYCLE_MS = 600_000
const never = new AbortController().signal
const namespace = `shop-${newCycleId().slice(4, 12)}`
const FAULT_MS = 10_000

type Json = Record<string, unknown>
const here = (object: Json): ClusterObject =>
  ({ ...object, metadata: { ...(object.metadata as Json), namespace } }) as unknown as ClusterObject

const single = barePodApp('single')
const front = deploymentApp('front', 1)
/** A Deployment behind a Service, and a bare Pod. */
const app: Application = {
  ...front,
  objects: [...front.objects, ...single.objects],
  graph: {
    ...front.graph,
    workloads: [...front.graph.workloads, ...single.graph.workloads],
    services: [...front.graph.services, ...single.graph.services],
  },
}
const foreign = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' }, data: { word: 'untouched' } },
  deploymentApp('theirs', 1).objects[0] ?? {},
].map(here)
/** The next revision: more of the Deployment, and two objects more. */
const better: Json[] = [
  ...app.objects.map((object) =>
    object.kind === 'Deployment'
      ? { ...object, spec: { ...(object.spec as Json), replicas: 2, minReadySeconds: 1 } }
      : object,
  ),
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'front' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'front' } } },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'added' }, data: {} },
]

const pause = { name: 'pause', image: 'ordeal/testapp:1', resources: { requests: { cpu: '0.01', memory: '8388608' } } }
/** Objects of which the server makes more than was given: defaults, addresses, ports, other forms of quantities. */
const manyKinds: Json[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { word: 'x' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { password: 'sesame' } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'outside' },
    spec: { type: 'NodePort', selector: { app: 'front' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'store' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1024Mi' } } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'set' },
    spec: {
      replicas: 1,
      serviceName: 'front',
      selector: { matchLabels: { app: 'set' } },
      template: { metadata: { labels: { app: 'set' } }, spec: { containers: [pause] } },
    },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'set' },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'set' } },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: {
      schedule: '0 3 * * *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [pause] } } } },
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'door' },
    spec: { defaultBackend: { service: { name: 'front', port: { number: 80 } } } },
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'worker' } },
]
const [deployed, podThere, settingsThere, keyThere] = [app.objects, single.objects, manyKinds, manyKinds.slice(1)].map(
  ([first]) => here(first ?? {}),
) as [ClusterObject, ClusterObject, ClusterObject, ClusterObject]

describe('a cycle in place on a real cluster', () => {
  let cluster: Cluster
  let before: Map<string, ClusterObject>
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  const start = (of: Application, options: Partial<CycleOptions> = {}): Promise<Cycle> =>
    startRealCycle(of, { readyMs: 90_000 }, { inPlace: namespace, confirmInPlace: true, ...options })
  const deploymentOf = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } })

  /** Everything in the namespace but what comes and goes with its controllers, as somebody wanted it. */
  const look = async (): Promise<Map<string, ClusterObject>> => {
    const kinds = SANDBOX_RIGHTS.filter(({ kind }) => !['ReplicaSet'].includes(kind))
    const lists = kinds.map(({ apiVersion, kind }) => cluster.objects.list({ apiVersion, kind, namespace }))
    const found = (await Promise.all(lists)).flat().filter(({ metadata }) => !metadata.ownerReferences?.length)
    return new Map(found.map((object) => [objectIdOf(object), object]))
  }
  const states = (objects: ReadonlyMap<string, ClusterObject>) =>
    [...objects].map(([id, object]) => ({ id, state: stateOf(object) })).toSorted((a, b) => a.id.localeCompare(b.id))
  const versions = (objects: ReadonlyMap<string, ClusterObject>, names: readonly string[]) =>
    names.map((name) => [name, objects.get(name)?.metadata.uid, objects.get(name)?.metadata.generation])
  const run = (cycle: Cycle, revision: number, of: Application) =>
    cycle.run({ ...hypothesisOf(front, [[faultOn(of, { durationMs: FAULT_MS })]]) }, revision)
  const isGone = async (name: string) =>
    (await cluster.objects.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })) === null

  beforeAll(async () => {
    await reachRealCluster()
    cluster = await connectCluster({ kind: 'kubernetes', context: process.env.ORDEAL_TEST_CONTEXT ?? '' })
    await cluster.objects.create(space)
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }
    const made = async () => (await cluster.objects.get(account)) ?? undefined
    await cluster.clock.waitFor({ what: 'the account', withinMs: 30_000, watch: [], everyMs: 100, check: made }, never)
    for (const object of [...app.objects.map(here), ...foreign]) await cluster.objects.create(object)
    const check = async () => {
      const live = await Promise.all(['front', 'theirs'].map((name) => cluster.objects.get(deploymentOf(name))))
      const status = live.map((object) => object?.status as { readyReplicas?: number } | undefined)
      return status.every((s) => s?.readyReplicas === 1) || undefined
    }
    await cluster.clock.waitFor({ what: 'the application', withinMs: 120_000, watch: [], everyMs: 500, check }, never)
    before = await look()
  }, CYCLE_MS)
  afterAll(async () => void (await cluster.objects.remove(space)))

  it(
    'changes what revisions change, and takes everything back; what is of others stays untouched',
    async () => {
      const cycle = await start(app)
      const measured = await cycle.measure()
      expect(measured).toMatchObject({ settled: true })
      const controls = measured.settled ? measured.steadyStates.map((s) => s.negativeControl) : []
      for (const control of controls)
        expect(control).toMatchObject({ failed: true, method: 'stub', how: expect.stringContaining('in use') })

      const other = await start(front)
      await expect(other.measure()).rejects.toMatchObject({
        code: 'namespace-taken',
        message: expect.stringContaining(cycle.id),
      })
      expect(await other.cleanUp()).toBeNull()

      const runs = [await run(cycle, 0, front)]
      await cycle.putRevision(1, better)
      runs.push(await run(cycle, 1, single))
      expect(runs.map((each) => each.injections[0]?.targets)).toEqual([[expect.stringMatching(/^front-/)], ['single']])
      // What is taken back does not hang on whether a busy machine measured well.
      for (const { problem } of runs) expect([null, 'prober-lost']).toContain(problem?.reason ?? null)
      const changed = await look()
      expect(changed.get('Deployment/front')).toMatchObject({ spec: { replicas: 2 } })
      expect(changed.has('PodDisruptionBudget/front')).toBe(true)
      // A bare Pod that was killed does not come back by itself.
      expect(changed.has('Pod/single')).toBe(false)

      expect(await cycle.cleanUp()).toBeNull()
      const after = await look()
      expect(states(after)).toEqual(states(before))
      const theirs = ['ConfigMap/theirs', 'Deployment/theirs']
      expect(versions(after, theirs)).toEqual(versions(before, theirs))
      expect(after.get('Deployment/front')?.metadata.uid).toBe(before.get('Deployment/front')?.metadata.uid)
      expect(after.has(`Secret/${JOURNAL}`)).toBe(false)
      expect(await isGone(`ordeal-${cycle.id}-prober`)).toBe(true)
    },
    CYCLE_MS,
  )

  it(
    'puts back first what a cycle left behind that died with all its processes',
    async () => {
      const dead = await start(app)
      await dead.measure()
      await dead.putRevision(1, better)
      await run(dead, 1, front)
      expect(states(await look())).not.toEqual(states(before))
      const past = { metadata: { annotations: { 'ordeal.dev/until': '2020-01-01T00:00:00.000Z' } } }
      await cluster.objects.patch(journalRef(namespace), past)

      const next = await start(app)
      expect(await next.measure()).toMatchObject({ settled: true })
      expect(next.notes.join()).toMatch(
        new RegExp(`${dead.id} died in namespace ${namespace}: what it left is put back`),
      )
      expect((await look()).get('Deployment/front')).toMatchObject({ spec: { replicas: 1 } })
      expect(await next.cleanUp()).toBeNull()
      expect(states(await look())).toEqual(states(before))
      expect(await dead.cleanUp()).toBeNull()
      expect(states(await look())).toEqual(states(before))
    },
    CYCLE_MS,
  )

  it(
    'deploys nothing: what is not there is named',
    async () => {
      const cycle = await start(deploymentApp('absent', 1))
      expect(await cycle.measure()).toMatchObject({
        settled: false,
        cause: expect.stringMatching(
          /Service\/absent, Deployment\/absent not found in namespace .*nothing is deployed/,
        ),
      })
      expect(await cycle.cleanUp()).toBeNull()
      expect(states(await look())).toEqual(states(before))
    },
    CYCLE_MS,
  )

  it(
    'refuses an input that is not what stands there, and knows what the server and controllers have filled in',
    async () => {
      const pieces = manyKinds.map(here)
      for (const object of pieces) await cluster.objects.create(object)
      const given: Application = { ...app, objects: [...app.objects, ...manyKinds] }
      try {
        const same = await start(given)
        expect(await same.measure()).toMatchObject({ settled: true })
        expect(await same.cleanUp()).toBeNull()

        const drifts: [ClusterObject, unknown, RegExp][] = [
          [deployed, { spec: { replicas: 0 } }, /Deployment\/front has 0 at \/spec\/replicas, the input 1/],
          [
            deployed,
            { spec: { template: { metadata: { annotations: { more: 'x' } } } } },
            /Deployment\/front has \/spec\/template\/metadata\/annotations.*, which the input does not/,
          ],
          [podThere, { metadata: { labels: { app: 'other' } } }, /Pod\/single differs at \/metadata\/labels\/app/],
          [settingsThere, { data: { more: 'x' } }, /ConfigMap\/settings has \/data\/more, which the input does not/],
          [keyThere, { stringData: { password: 'other' } }, /Secret\/key differs at \/data\/password/],
        ]
        for (const [object, patch, words] of drifts) {
          const stood = stateOf((await cluster.objects.get(object)) ?? object)
          await cluster.objects.patch(object, patch)
          const cycle = await start(given)
          await expect(cycle.measure()).rejects.toMatchObject({
            code: 'in-place-refused',
            message: expect.stringMatching(words),
          })
          expect((await look()).has(`Secret/${JOURNAL}`)).toBe(false)
          expect(await cycle.cleanUp()).toBeNull()
          const now = stateOf((await cluster.objects.get(object)) ?? object)
          await cluster.objects.patch(object, mergePatch(now, stood))
        }
      } finally {
        for (const object of pieces) await cluster.objects.remove(object)
      }
    },
    CYCLE_MS,
  )

  it('asks for consent, and never touches what holds the system together', async () => {
    const silent = await start(app, { confirmInPlace: false })
    await expect(silent.measure()).rejects.toMatchObject({
      code: 'in-place-refused',
      message: expect.stringMatching(/confirm/),
    })
    const system = await start(app, { inPlace: 'kube-system' })
    await expect(system.measure()).rejects.toMatchObject({ message: expect.stringMatching(/system namespace/) })
    expect(states(await look())).toEqual(states(before))
  })
})
