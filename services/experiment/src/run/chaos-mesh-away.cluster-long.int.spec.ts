import { faultSchema, type Fault, type Run } from '@ordeal/shared'
import { type MemoryContext } from '@ordeal/shared/testing'
import { deploymentApp, faultOn, hypothesisFor } from '../testing/applications.js'
import { ownsCluster, signalChaosMesh } from '../testing/cluster-program.js'
import { type Cycle } from '../testing/cycle.js'
import { allReady, begun, chaosOf, inForce, until } from '../testing/real-faults.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** A busy machine, and a wait for what never comes in most of these. */
const LONG_MS = 600_000
const FAULT_MS = 15_000

const app = deploymentApp('front', 1)
const fault = (more: object): Fault =>
  faultSchema.parse({ id: 'f1', target: faultOn(app).target, durationMs: FAULT_MS, parameters: {}, ...more })
/** Done by the controllers alone. */
const failure = fault({ kind: 'PodChaos', action: 'pod-failure' })
/** Done by the daemon of the pod's node. */
const partition = fault({ kind: 'NetworkChaos', action: 'partition', parameters: { direction: 'both' } })

/** Here what everybody on the cluster needs is stopped: these specs want it for themselves (one jest worker). */
const describeOnOwnCluster = ownsCluster() ? describe : describe.skip

describeOnOwnCluster('when the programs of Chaos Mesh go away, on a real cluster', () => {
  const open: Cycle[] = []
  const start = async (): Promise<Cycle> => {
    const cycle = await startRealCycle(app)
    open.push(cycle)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    return cycle
  }
  const next = async (
    cycle: Cycle,
    [revision, of]: [number, Fault],
    when: typeof begun,
    disturb: () => Promise<void>,
  ): Promise<Run> => {
    if (revision > 0) await cycle.putRevision(revision, app.objects)
    const context: MemoryContext = cycle.context(revision, 'run')
    const hypothesis = { ...hypothesisFor(app, of), timing: { preMs: 3000, faultMs: 0, postMs: 5000 } }
    const run = cycle.run(hypothesis, revision, context)
    run.catch(() => undefined)
    await when(cycle, context)
    await disturb()
    return run
  }
  const goOn = async (): Promise<void> => {
    await signalChaosMesh('chaos-daemon', 'CONT')
    await signalChaosMesh('chaos-controller-manager', 'CONT')
  }
  let viaDaemon: Cycle
  let viaController: Cycle
  beforeAll(async () => {
    await reachRealCluster()
    ;[viaDaemon, viaController] = await Promise.all([start(), start()])
  }, LONG_MS)
  afterAll(async () => {
    await goOn()
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, LONG_MS)

  it(
    'a daemon and a controller that are restarted in the middle of a fault undo it all the same',
    async () => {
      const runs = await Promise.all([
        next(viaDaemon, [0, partition], inForce, () => signalChaosMesh('chaos-daemon', 'KILL')),
        next(viaController, [0, failure], inForce, () => signalChaosMesh('chaos-controller-manager', 'KILL')),
      ])
      expect(runs.map((run) => run.problem)).toEqual([null, null])
      for (const run of runs) expect(run.injections).toMatchObject([{ recoveredAt: expect.any(Number) }])
      expect([...(await chaosOf(viaDaemon)), ...(await chaosOf(viaController))]).toEqual([])
    },
    LONG_MS,
  )

  it(
    'a fault that a frozen daemon never came to inject is said to be none, and does not come when the daemon goes on',
    async () => {
      const freeze = () => signalChaosMesh('chaos-daemon', 'STOP')
      const run = await next(viaDaemon, [1, partition], begun, freeze).finally(goOn)
      expect(run.problem).toMatchObject({ reason: 'not-injected' })
      expect(run.injections).toMatchObject([{ targets: [], injectedAt: null }])
      await until(await viaDaemon.look(), 'ready pods', () => allReady(viaDaemon))
      const after = await next(viaDaemon, [2, failure], begun, () => Promise.resolve())
      expect(after.problem).toBeNull()
      const before = after.samples['front-answers']?.filter((s) => s.at < after.windows.pre.to) ?? []
      expect(before.filter((s) => !s.ok)).toEqual([])
      expect(await chaosOf(viaDaemon)).toEqual([])
    },
    LONG_MS,
  )

  it(
    'a fault that a frozen controller does not undo puts its namespace into quarantine, and goes when the controller goes on',
    async () => {
      const freeze = () => signalChaosMesh('chaos-controller-manager', 'STOP')
      const run = await next(viaController, [1, failure], inForce, freeze).finally(goOn)
      expect(run.problem).toMatchObject({ reason: 'not-recovered', message: expect.stringContaining('PodChaos/') })
      expect(viaController.notes).toContainEqual(expect.stringMatching(/is quarantined: /))
      await until(await viaController.look(), 'the end of it', async () => (await chaosOf(viaController)).length === 0)
      await until(await viaController.look(), 'ready pods', () => allReady(viaController))
    },
    LONG_MS,
  )
})
