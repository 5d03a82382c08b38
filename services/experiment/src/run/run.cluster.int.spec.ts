import { CHAOS_API, chaosRef, isReadyPod, type ChaosObject, type Pod } from '@ordeal/kubernetes'
import { type Fault, type FaultKind, type Run } from '@ordeal/shared'
import { type MemoryContext } from '@ordeal/shared/testing'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** Whole cycles, several at once, on a machine that may be busy. */
const CYCLE_MS = 600_000
const SOON_MS = 60_000
/** A removal that takes longer is not taken for one at its time. */
const SLOWEST_MS = 10_000
const FAULT_MS = 20_000

const app = deploymentApp('front', 1)
const failure: Partial<Fault> = { kind: 'PodChaos', action: 'pod-failure', durationMs: FAULT_MS }
const delay: Partial<Fault> = {
  kind: 'NetworkChaos',
  action: 'delay',
  parameters: { latencyMs: 100 },
  durationMs: FAULT_MS,
}
const never = new AbortController().signal

describe('run on a real cluster', () => {
  const open: Cycle[] = []
  const start = async (): Promise<Cycle> => {
    const cycle = await startRealCycle(app)
    open.push(cycle)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    return cycle
  }
  const chaosOf = async (cycle: Cycle, kind: FaultKind): Promise<ChaosObject | null> => {
    const { objects } = await cycle.look()
    const name = `${cycle.id}-r0-f1`
    return objects.get<ChaosObject>(chaosRef(kind, { name, namespace: cycle.namespace }))
  }
  const podOf = async (cycle: Cycle): Promise<Pod | undefined> => {
    const { objects } = await cycle.look()
    return (await objects.list<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace: cycle.namespace }))[0]
  }
  const until = async (cycle: Cycle, what: string, check: () => Promise<boolean> | boolean): Promise<void> => {
    const { clock, objects } = await cycle.look()
    const watch = [await objects.path({ apiVersion: CHAOS_API, kind: 'PodChaos', namespace: cycle.namespace })]
    const look = async () => (await check()) || undefined
    await clock.waitFor({ what, withinMs: SOON_MS, watch, everyMs: 500, check: look }, never)
  }
  /** A run that is ended from outside while its fault is in force. */
  const cutShort = async (
    why: 'cancelled' | 'lease-lost',
    hypothesis = hypothesisFor(app, failure),
  ): Promise<Cycle> => {
    const cycle = await start()
    const context = cycle.context(0, 'run')
    const ended = cycle.run(hypothesis, 0, context)
    ended.catch(() => undefined)
    await inForce(cycle, context)
    context.abort(why)
    await expect(ended).rejects.toMatchObject({ code: `aborted-${why}` })
    return cycle
  }

  /** Keeps every PodChaos of the cycle from being made, or from being changed: by a webhook that nobody serves. */
  const refuse = async (cycle: Cycle, operation: 'CREATE' | 'UPDATE'): Promise<() => Promise<void>> => {
    const { objects } = await cycle.look()
    const webhook = {
      name: 'refuse.ordeal.dev',
      clientConfig: { url: 'https://127.0.0.1:1/refuse' },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 1,
      admissionReviewVersions: ['v1'],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': cycle.namespace } },
      rules: [{ apiGroups: ['chaos-mesh.org'], apiVersions: ['*'], operations: [operation], resources: ['podchaos'] }],
    }
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: cycle.namespace },
      webhooks: [webhook],
    }
    await objects.create(configuration)
    return async () => void (await objects.remove(configuration))
  }
  const inForce = (cycle: Cycle, context: MemoryContext): Promise<void> =>
    until(cycle, 'the fault', () => context.notes.some((note) => note.message.includes('pod-failure hits')))

  let cycles: ReturnType<typeof startAll>
  const startAll = () =>
    atOnce({
      kill: async () => (await start()).run(hypothesisFor(app, { durationMs: FAULT_MS })),
      delay: async () => {
        const cycle = await start()
        return { cycle, run: await cycle.run(hypothesisFor(app, delay)) }
      },
      cancelled: () => cutShort('cancelled'),
      dead: () => cutShort('lease-lost'),
      back: async () => {
        const longer = hypothesisFor(app, { ...failure, durationMs: 3 * FAULT_MS })
        return (await cutShort('lease-lost', longer)).run(longer)
      },
      blind: async () => {
        const cycle = await start()
        const context = cycle.context(0, 'run')
        const run = cycle.run(hypothesisFor(app, failure), 0, context)
        await inForce(cycle, context)
        const metadata = { name: 'prober-r0', namespace: `${cycle.namespace}-prober` }
        await (await cycle.look()).objects.remove({ apiVersion: 'v1', kind: 'Pod', metadata }, { graceSeconds: 0 })
        return run
      },
      refused: async () => {
        const cycle = await start()
        const allow = await refuse(cycle, 'CREATE')
        return cycle.run(hypothesisFor(app, failure)).finally(allow)
      },
      heldBack: async () => {
        const cycle = await start()
        const context = cycle.context(0, 'run')
        const run = cycle.run(hypothesisFor(app, failure), 0, context)
        await inForce(cycle, context)
        const allow = await refuse(cycle, 'UPDATE')
        const { problem } = await run.finally(allow)
        const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: cycle.namespace } }
        const found = await (await cycle.look()).objects.get(space)
        return { problem, notes: cycle.notes, annotations: found?.metadata.annotations }
      },
    })
  beforeAll(async () => {
    await reachRealCluster()
    cycles = startAll()
  })
  afterAll(async () => {
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, CYCLE_MS)

  it(
    'kills a pod, with both halves of the evidence, and takes no longer than it planned',
    async () => {
      const { problem, injections, windows, samples } = await cycles.kill
      expect(problem).toBeNull()
      expect(injections).toMatchObject([
        { evidence: { record: expect.stringContaining('front-'), effect: expect.stringContaining('is gone') } },
      ])
      expect(windows.post.to - windows.pre.from).toBeLessThan(5000 + FAULT_MS + 10_000 + 10_000)
      const during = (samples['front-answers'] ?? []).filter((s) => s.at >= windows.fault.from)
      expect(during.some((s) => !s.ok)).toBe(true)
    },
    CYCLE_MS,
  )

  it(
    'says that a delay was not injected, and why, where the kernel cannot',
    async () => {
      const { cycle, run } = await cycles.delay
      expect(run.problem).toMatchObject({ reason: 'not-injected', message: expect.stringMatching(/tc/) })
      expect(await chaosOf(cycle, 'NetworkChaos')).toBeNull()
    },
    CYCLE_MS,
  )

  it(
    'takes a fault back at once when the cycle is cancelled',
    async () => {
      const cycle = await cycles.cancelled
      await until(cycle, 'the end of the fault', async () => (await chaosOf(cycle, 'PodChaos')) === null)
      await until(cycle, 'a working pod', async () => {
        const pod = await podOf(cycle)
        return pod !== undefined && isReadyPod(pod)
      })
    },
    CYCLE_MS,
  )

  it(
    'is gone on with where it was when somebody comes back in time',
    async () => {
      const run = await cycles.back
      expect(run).toMatchObject({ problem: null, resumed: 1 })
      expect(run.windows.fault.to - run.windows.fault.from).toBeGreaterThanOrEqual(3 * FAULT_MS)
      expect(run.injections).toMatchObject([{ evidence: { record: expect.stringContaining('front-') } }])
    },
    CYCLE_MS,
  )

  it(
    'leaves a fault that ends by itself when nobody is left to end it, and takes its time from the record of Chaos Mesh',
    async () => {
      const cycle = await cycles.dead
      await until(cycle, 'the end of the fault by its duration', async () => {
        const records = (await chaosOf(cycle, 'PodChaos'))?.status?.experiment?.containerRecords ?? []
        return records.length > 0 && records.every((r) => r.recoveredCount >= r.injectedCount)
      })
      const run: Run = await cycle.run(hypothesisFor(app, failure))
      expect(run.problem).toBeNull()
      // Where a busy machine was slow to undo it, that is not the fault of the plan, and the run is begun anew.
      expect(run.resumed ?? run.attempt).toBe(run.resumed ? 1 : 2)
      const lasted = run.windows.fault.to - run.windows.fault.from
      expect(lasted).toBeGreaterThanOrEqual(FAULT_MS)
      expect(run.resumed ? lasted : FAULT_MS).toBeLessThan(FAULT_MS + SLOWEST_MS)
      expect(run.injections).toMatchObject([{ evidence: { effect: expect.stringContaining('front-') } }])
    },
    CYCLE_MS,
  )

  it(
    'says what a webhook said that refuses a fault',
    async () => {
      const { problem, injections } = await cycles.refused
      expect(problem).toMatchObject({ reason: 'not-injected', message: expect.stringContaining('refuse.ordeal.dev') })
      expect(injections).toMatchObject([{ targets: [], evidence: { record: null } }])
    },
    CYCLE_MS,
  )

  it(
    'puts a namespace whose fault cannot be undone into quarantine, and says so',
    async () => {
      const { problem, notes, annotations } = await cycles.heldBack
      expect(problem).toMatchObject({ reason: 'not-recovered' })
      expect(annotations).toMatchObject({ 'ordeal.dev/quarantined': problem?.message })
      expect(notes).toContainEqual(expect.stringMatching(/is quarantined: Chaos Mesh has not undone PodChaos/))
    },
    CYCLE_MS,
  )

  it(
    'does not judge without its prober',
    async () => expect((await cycles.blind).problem).toMatchObject({ reason: 'prober-lost' }),
    CYCLE_MS,
  )
})
