import { chaosManifest, chaosRef, type Pod } from '@ordeal/kubernetes'
import { faultSchema, type Fault, type FaultOf, type Run } from '@ordeal/shared'
import { type MemoryContext } from '@ordeal/shared/testing'
import { deploymentApp, faultOn, hypothesisFor } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { allReady, begun, chaosOf, inForce, podsOf, refuseChaos, until } from '../testing/real-faults.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** Whole cycles, several at once, on a machine that may be busy. */
const CYCLE_MS = 600_000
const FAULT_MS = 10_000
/** By then a pod that is not wanted any more has ended. */
const ENDING_MS = 20_000
/** Each restarts a container, which the kubelet does ever more slowly. */
const EARLY = 4
/** What users of Chaos Mesh report, by the row of docs/known-failures.md. */
const app = deploymentApp('front', 1)
const target = faultOn(app).target

const fault = (more: object) => faultSchema.parse({ id: 'f1', target, durationMs: FAULT_MS, parameters: {}, ...more })
const failure: FaultOf<'PodChaos'> = {
  id: 'f1',
  target,
  durationMs: FAULT_MS,
  kind: 'PodChaos',
  action: 'pod-failure',
  parameters: {},
}
const partition = fault({ kind: 'NetworkChaos', action: 'partition', parameters: { direction: 'both' } })

/** A volume that every pod has. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Faults for which this kind of node has not what it takes: the object is taken, and nothing comes of it. */
const IMPOSSIBLE = {
  network: fault({ kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 100 } }),
  io: fault({
    kind: 'IOChaos',
    action: 'latency',
    parameters: { volumePath: ACCOUNT, delayMs: 100 },
  }),
  http: fault({ kind: 'HTTPChaos', action: 'abort', parameters: { side: 'request', port: 8080 } }),
}

/** Of a webhook that nobody serves, and of one (a kubelet) whose certificate is none that the API server trusts. */
const WEBHOOKS = [{ url: 'https://127.0.0.1:1/refuse' }, { url: 'https://127.0.0.1:10250/refuse' }]

/** A front that also leaves a finished pod with its labels behind. */
const withFinishedPod = (): Application => {
  const labels = { app: 'front' }
  const spec = { restartPolicy: 'Never', containers: [{ name: 'once', image: 'busybox:1.36', command: ['true'] }] }
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'once' },
    spec: { template: { metadata: { labels }, spec } },
  }
  return { ...app, objects: [...app.objects, job] }
}

/** Windows no longer than they must be: what is shown here is how runs end, not what they measure. */
const shortly = (of: Fault, preMs: number) => ({
  ...hypothesisFor(app, of),
  timing: { preMs, faultMs: 0, postMs: 3000 },
})

describe('a known failure of Chaos Mesh, on a real cluster', () => {
  const open: Cycle[] = []
  const start = async (application: Application = app): Promise<Cycle> => {
    const cycle = await startRealCycle(application)
    open.push(cycle)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    return cycle
  }
  /** Runs one after the other in one sandbox: each is a revision of its own, which changes nothing. */
  const runsOf = (cycle: Cycle) => {
    let revision = -1
    const next = async (of: Fault, disturb?: (context: MemoryContext) => Promise<void>, preMs = 2000): Promise<Run> => {
      revision += 1
      if (revision > 0) await cycle.putRevision(revision, app.objects)
      const context = cycle.context(revision, 'run')
      const run = cycle.run(shortly(of, preMs), revision, context)
      run.catch(() => undefined)
      await disturb?.(context)
      return run
    }
    return next
  }
  const scaleTo = async (cycle: Cycle, replicas: number): Promise<void> => {
    const { objects } = await cycle.look()
    const metadata = { name: 'front', namespace: cycle.namespace }
    await objects.patch({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }, { spec: { replicas } })
  }
  const replacePods = async (cycle: Cycle): Promise<void> => {
    const { objects } = await cycle.look()
    for (const pod of await podsOf(cycle)) await objects.remove(pod, { graceSeconds: 0 })
  }

  const impossible = async () => {
    const cycle = await start()
    const next = runsOf(cycle)
    const found: { kind: string; run: Run; left: number }[] = []
    for (const each of Object.values(IMPOSSIBLE)) {
      const run = await next(each)
      found.push({ kind: each.kind, run, left: (await chaosOf(cycle)).length })
    }
    const noVolume = fault({ kind: 'IOChaos', action: 'latency', parameters: { volumePath: '/tmp', delayMs: 100 } })
    return { found, noVolume: await next(noVolume), after: await next(failure) }
  }
  const outside = async () => {
    const cycle = await start()
    const next = runsOf(cycle)
    const replaced = await next(partition, async (context) => {
      await inForce(cycle, context)
      await replacePods(cycle)
    })
    const left = (await chaosOf(cycle)).length
    const vanished = await next(
      failure,
      async (context) => {
        await begun(cycle, context)
        await scaleTo(cycle, 0)
      },
      ENDING_MS,
    )
    await scaleTo(cycle, 1)
    const refused: Run[] = []
    for (const config of WEBHOOKS) {
      const allow = await refuseChaos(cycle, config)
      refused.push(await next(failure).finally(allow))
    }
    return { replaced, left, vanished, refused }
  }
  const startAll = () => atOnce({ impossible, outside, bystander: () => start(withFinishedPod()) })
  let works: ReturnType<typeof startAll>
  beforeAll(async () => {
    await reachRealCluster()
    works = startAll()
  })
  afterAll(async () => {
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, CYCLE_MS)

  it.each(Object.values(IMPOSSIBLE).map((each) => each.kind))(
    'a %s that this kind of node cannot have is not injected, and let go (rows 2, 3, 4, 14)',
    async (kind) => {
      const { run, left } = (await works.impossible).found.find((each) => each.kind === kind) ?? {}
      expect(run?.problem).toMatchObject({
        reason: 'not-injected',
        message: expect.stringMatching(/not injected: .{10}/),
      })
      expect(left).toBe(0)
    },
    CYCLE_MS,
  )

  it(
    'pods on which a fault never came about are replaced, so that the next run is not poisoned',
    async () => expect((await works.impossible).after.problem).toBeNull(),
    CYCLE_MS,
  )

  it(
    'a target that is replaced while its fault is in force holds up neither the object nor the run (rows 3, 12)',
    async () => {
      const { replaced, left } = await works.outside
      expect(left).toBe(0)
      expect(replaced.injections).toMatchObject([{ recoveredAt: expect.any(Number) }])
    },
    CYCLE_MS,
  )

  it(
    'targets that vanish before the fault make it not injected, whatever AllInjected says (row 10)',
    async () => {
      const { problem, injections } = (await works.outside).vanished
      expect(problem).toMatchObject({ reason: 'not-injected', message: expect.stringContaining('no pod is selected') })
      expect(injections).toMatchObject([{ targets: [], injectedAt: null }])
    },
    CYCLE_MS,
  )

  it.each([
    ['is not served', 0, /refuse\.ordeal\.dev.*connection refused/],
    ['has a certificate that does not fit', 1, /refuse\.ordeal\.dev.*x509/],
  ] as const)(
    'a webhook that %s makes the fault not injected, in its own words (row 24)',
    async (_, index, words) => {
      const { problem, injections } = (await works.outside).refused[index] ?? {}
      expect(problem).toMatchObject({ reason: 'not-injected', message: expect.stringMatching(words) })
      expect(injections).toMatchObject([{ targets: [], injectedAt: null }])
    },
    CYCLE_MS,
  )

  it(
    'an IOChaos on a path that is no volume of its pods is refused, since it could never be undone (row 4)',
    async () => {
      const { problem } = (await works.impossible).noVolume
      expect(problem).toMatchObject({ reason: 'refused', message: expect.stringContaining('/tmp is no mount path') })
    },
    CYCLE_MS,
  )

  describe('in a namespace beside those', () => {
    let cycle: Cycle
    let before: Pod[]
    beforeAll(async () => {
      cycle = await works.bystander
      before = (await podsOf(cycle)).filter((pod) => pod.status?.phase === 'Running')
      await Promise.allSettled([works.impossible, works.outside])
    }, CYCLE_MS)

    it('pods with the same labels were not touched (row 19)', async () => {
      const after = (await podsOf(cycle)).filter((pod) => pod.status?.phase === 'Running')
      expect(after.map((pod) => pod.metadata.uid)).toEqual(before.map((pod) => pod.metadata.uid))
      expect(after.flatMap((pod) => pod.status?.containerStatuses?.map((c) => c.restartCount))).toEqual([0])
    })

    it(
      'a fault that is removed before Chaos Mesh has seen it leaves neither object nor effect (row 1)',
      async () => {
        const cluster = await cycle.look()
        const images = async () =>
          (await podsOf(cycle)).flatMap((pod) => pod.spec.containers.map((c) => c.image)).toSorted()
        const was = await images()
        for (let n = 1; n <= EARLY; n += 1) {
          const place = { name: `${cycle.id}-early-${n}`, namespace: cycle.namespace, labels: {} }
          await cluster.objects.create(chaosManifest(failure, place))
          await cluster.objects.remove(chaosRef('PodChaos', place))
        }
        await until(cluster, 'the end of all faults', async () => (await chaosOf(cycle)).length === 0)
        await until(cluster, 'ready pods', () => allReady(cycle))
        expect(await images()).toEqual(was)
      },
      CYCLE_MS,
    )

    it(
      'a pod that has finished is no target (row 11)',
      async () => {
        const done = (await podsOf(cycle)).filter((pod) => pod.status?.phase === 'Succeeded')
        expect(done).toHaveLength(1)
        const run = await runsOf(cycle)({ ...failure, target: { ...target, mode: 'all' } })
        expect(run.problem).toBeNull()
        expect(run.injections[0]?.targets).toHaveLength(1)
        expect(run.injections[0]?.targets).not.toContain(done[0]?.metadata.name)
      },
      CYCLE_MS,
    )
  })
})
