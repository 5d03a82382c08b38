import { CHAOS_API, CHAOS_KINDS } from '@ordeal/kubernetes'
import { faultSchema, type Run } from '@ordeal/shared'
import { callingApp, deploymentApp, faultOn, hypothesisFor } from '../testing/applications.js'
import { atOnce } from '../testing/at-once.js'
import { type Application, type Cycle } from '../testing/cycle.js'
import { reachRealCluster, startRealCycle } from '../testing/real-cycle.js'

/** Several cycles at once, on a machine that may be busy. */
const CYCLE_MS = 600_000
const FAULT_MS = 30_000

const app = callingApp('front', 'back')
const peer = { component: 'Deployment/back', selector: { app: 'back' } }
const http = { side: 'request' as const, port: 8080 }

/** An application that keeps something, for faults of files. */
function withVolume(): Application {
  const { objects, ...rest } = deploymentApp('front', 1)
  const [workload, ...more] = structuredClone(objects) as [Deployment, ...Record<string, unknown>[]]
  const { spec } = workload.spec.template
  spec.volumes = [{ name: 'data', emptyDir: {} }]
  spec.containers.forEach((container) => (container.volumeMounts = [{ name: 'data', mountPath: '/data' }]))
  return { ...rest, objects: [{ ...workload }, ...more] }
}
interface Deployment {
  spec: { template: { spec: { volumes?: unknown; containers: { volumeMounts?: unknown }[] } } }
}

describe('evidence on a real cluster', () => {
  const open: Cycle[] = []
  /** Runs of one cycle, one after the other, on revisions that are equal: each leaves them as it found them. */
  const inTurn = async <N extends string>(of: Application, faults: Record<N, object>): Promise<Record<N, Run>> => {
    const cycle = await startRealCycle(of)
    open.push(cycle)
    const measured = await cycle.measure()
    if (!measured.settled) throw new Error(measured.cause)
    const runs: Record<string, Run> = {}
    for (const [revision, [name, fault]] of Object.entries<object>(faults).entries()) {
      if (revision > 0) await cycle.putRevision(revision, of.objects)
      const whole = faultSchema.parse({ ...faultOn(of, { durationMs: FAULT_MS }), ...fault })
      runs[name] = await cycle.run(hypothesisFor(of, whole), revision)
    }
    const { objects } = await cycle.look()
    for (const kind of CHAOS_KINDS) {
      expect(await objects.list({ apiVersion: CHAOS_API, kind, namespace: cycle.namespace })).toEqual([])
    }
    return runs
  }
  const network = (action: string, parameters: object) => ({ kind: 'NetworkChaos', action, parameters })
  const files = { kind: 'IOChaos', action: 'fault', parameters: { volumePath: '/data', errno: 5 } }

  let groups: ReturnType<typeof startAll>
  const startAll = () =>
    atOnce({
      shown: () =>
        inTurn(app, {
          cpu: { kind: 'StressChaos', action: 'cpu', parameters: { cpu: { workers: 1 } } },
          memory: { kind: 'StressChaos', action: 'memory', parameters: { memory: { workers: 1, size: '48MB' } } },
          cutOff: network('partition', { direction: 'both' }),
          cutFromPeer: network('partition', { direction: 'to', peer }),
        }),
      refused: () =>
        inTurn(app, {
          http: { kind: 'HTTPChaos', action: 'abort', parameters: http },
          dns: { kind: 'DNSChaos', action: 'error', parameters: {} },
          clock: { kind: 'TimeChaos', action: 'offset', parameters: { offsetMs: 60_000 } },
          noVolume: files,
          delayed: network('delay', { latencyMs: 100 }),
        }),
      kept: () => inTurn(withVolume(), { files }),
    })
  beforeAll(async () => {
    await reachRealCluster()
    groups = startAll()
  })
  afterAll(async () => {
    const left = await Promise.all(open.map((cycle) => cycle.cleanUp()))
    expect(left).toEqual(open.map(() => null))
  }, CYCLE_MS)

  it.each([
    ['cpu', /uses \d+ millicores instead of \d+ millicores/],
    ['memory', /uses \d+ MiB instead of \d+ MiB/],
    ['cutOff', /leaves \d+ % of requests without an answer/],
    ['cutFromPeer', /leaves \d+ % of requests without an answer/],
  ] as const)(
    'has both halves: %s',
    async (name, effect) => {
      const { problem, injections } = (await groups.shown)[name]
      expect(problem).toBeNull()
      expect(injections).toMatchObject([
        {
          targets: [expect.stringMatching(/^front-/)],
          evidence: { record: expect.stringContaining('front-'), effect: expect.stringMatching(effect) },
        },
      ])
      expect(injections[0]?.recoveredAt).toBeGreaterThan(injections[0]?.injectedAt ?? Infinity)
    },
    CYCLE_MS,
  )

  it(
    'keeps what is outside of a partition out of it',
    async () => {
      const { samples, windows, injections } = (await groups.shown).cutFromPeer
      // From when it was surely in force, until a request could outlast it.
      const [from, to] = [(injections[0]?.injectedAt ?? Infinity) + 2500, windows.fault.from + FAULT_MS - 3000]
      const during = (name: string) => (samples[name] ?? []).filter(({ at }) => at >= from && at < to)
      // Its node reaches the front as ever (by most looks: the API of a busy machine is late now and then); what the
      // front calls does not answer.
      const ready = during('front-ready')
      expect(ready.filter(({ ok }) => ok).length / ready.length).toBeGreaterThan(0.8)
      expect(during('front-answers').filter(({ ok }) => ok)).toEqual([])
    },
    CYCLE_MS,
  )

  it.each([
    ['delayed', 'not-injected', /unable to (set|flush) tc/],
    ['http', 'not-injected', /./],
    ['dns', 'not-injected', /chaos-mesh-dns-server/],
    ['clock', 'not-injected', /./],
    ['files', 'not-injected', /./],
    ['noVolume', 'refused', /volumePath \/data is no mount path of a volume in pod front-.*; it has/],
  ] as const)(
    'says in the end why there was no fault: %s',
    async (name, reason, words) => {
      const { problem } = { ...(await groups.refused), ...(await groups.kept) }[name]
      expect(problem).toMatchObject({ reason, message: expect.stringMatching(words) })
      expect(problem?.message).not.toContain('does not say why')
    },
    CYCLE_MS,
  )
})
