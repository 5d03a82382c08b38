import { deployment, httpProbe, liveness, podChaos, readiness, service } from '../engine-fixture.spec.js'
import { deploy, simulate } from './simulate.js'
import { SimulationRefused } from './client.js'
import { type Manifest, type SimulationPlan } from './plan.js'
import { type Trace } from './trace.js'

const inApp = (object: object): Manifest => {
  const manifest = object as Manifest
  return { ...manifest, metadata: { ...manifest.metadata, namespace: 'app' } }
}
const probed = { container: { ...readiness, ...liveness } }

/** A shop of three services; the web servers are as many as given. */
const shop = (replicas: number): Manifest[] =>
  [
    deployment('web', { replicas, env: { CALLS: 'http://api/' }, ...probed }),
    deployment('api', { replicas: 2, env: { CALLS: 'http://store/' }, ...probed }),
    deployment('store', { replicas: 1, ...probed }),
    ...['web', 'api', 'store'].map((name) => service(name)),
  ].map(inApp)

const timing = { preMs: 10_000, faultMs: 30_000, postMs: 20_000 }
const probes = [httpProbe('front', 'http://web.app/', 10)]
const kill = (gracePeriod = 0) => inApp(podChaos('kill', { action: 'pod-kill', gracePeriod }))
const killing: SimulationPlan = { timing, probes, actions: [{ at: 10_000, do: 'create', object: kill() }] }

type Settled = Extract<Trace, { settled: true }>

function settled(trace: Trace): Settled {
  if (!trace.settled) throw new Error(trace.waiting.join('; '))
  return trace
}

const failed = ({ samples }: Settled) => samples.filter(({ ok }) => !ok).length

describe('simulate', () => {
  it('gives one sample for every due instant, in the windows that the plan has', () => {
    const { windows, samples, settledAfterMs } = settled(simulate(shop(2), { timing, probes, actions: [] }, 1))
    expect(windows.post.to - windows.pre.from).toBe(60_000)
    expect([windows.pre.to, windows.fault.to]).toEqual([windows.fault.from, windows.post.from])
    expect(samples).toHaveLength(600)
    expect(samples.every(({ ok, at }, index) => ok && at === windows.pre.from + index * 100)).toBe(true)
    expect(settledAfterMs).toBeGreaterThan(1000)
  })

  it('is a pure function of manifests, plan and seed', () => {
    const traces = [1, 1, 2].map((seed) => JSON.stringify(simulate(shop(1), killing, seed)))
    expect(traces[0]).toBe(traces[1])
    expect(traces[0]).not.toBe(traces[2])
  })

  it('shows what a fault does, to whom, and what heals it', () => {
    const one = settled(simulate(shop(1), killing, 1))
    const three = settled(simulate(shop(3), killing, 1))
    expect(one.faults).toEqual([
      {
        object: 'PodChaos/kill',
        conditions: { Selected: true, AllInjected: true, AllRecovered: false, Paused: false },
        targets: [{ id: expect.stringMatching(/^app\/web-/), phase: 'Injected', injectedCount: 1, recoveredCount: 0 }],
      },
    ])
    const [target] = one.faults[0]?.targets ?? []
    const changes = one.pods.filter(({ pod }) => pod === target?.id).map(({ change }) => change)
    expect(changes).toEqual(['not-ready', 'deleted'])
    expect(one.pods.map(({ change }) => change)).toEqual(expect.arrayContaining(['created', 'ready']))
    expect(one.events.map(({ object, reason }) => `${object} ${reason}`)).toContain('PodChaos/kill Applied')
    expect(failed(one)).toBeGreaterThan(20)
    expect(failed(three)).toBeLessThan(failed(one))
  })

  it('carries actions out at their time, in the order of the list', () => {
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'app' } }
    const scale = (at: number, replicas: number) =>
      ({ at, do: 'patch', object: web, patch: { spec: { replicas } } }) as const
    const plan = { timing, probes, actions: [scale(30_000, 2), scale(12_000, 0)] }
    const { samples, windows } = settled(simulate(shop(2), plan, 1))
    const bad = samples.filter(({ ok }) => !ok).map(({ at }) => at - windows.pre.from)
    expect(Math.min(...bad)).toBeGreaterThanOrEqual(12_000)
    expect(Math.max(...bad)).toBeGreaterThan(30_000)
    expect(Math.max(...bad)).toBeLessThan(36_000)
  })

  it('says what an application waits for that never settles', () => {
    const broken = [...shop(1), inApp(deployment('broken', { env: { WORKERS: 'many' } }))]
    const trace = simulate(broken, { timing, probes, actions: [] }, 1)
    expect(trace).toMatchObject({
      settled: false,
      waiting: ['Deployment/broken: 0 of 1 available, 1 of them up to date'],
    })
    expect(trace.events.map(({ reason }) => reason)).toContain('BackOff')
  })

  it('says which probe has no good answer', () => {
    const elsewhere = [httpProbe('front', 'http://nowhere.app/', 10)]
    const trace = simulate(shop(1), { timing, probes: elsewhere, actions: [] }, 1)
    expect(trace).toMatchObject({ settled: false, waiting: ['probe front: ENOTFOUND'] })
  })

  it('names every object that the cluster refuses', () => {
    const objects = [
      inApp(deployment('web', { replicas: -1 })),
      inApp({ apiVersion: 'example.org/v1', kind: 'Shop', metadata: { name: 's' } }),
    ]
    expect(() => simulate(objects, killing, 1)).toThrow(SimulationRefused)
    expect(() => simulate(objects, killing, 1)).toThrow(/Deployment\/web: .*spec.replicas.*\nShop\/s: .*not modelled/)
  })

  it('names the action that the cluster refuses, and a time that is none', () => {
    const nothing = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'app' } }
    const plan = (at: number) => ({ timing, probes, actions: [{ at, do: 'delete', object: nothing } as const] })
    expect(() => simulate(shop(1), plan(5), 1)).toThrow('actions[0]: pods "x" not found')
    expect(() => simulate(shop(1), plan(60_001), 1)).toThrow('actions[0].at must be within 0 and 60000, not 60001')
    expect(() => simulate(shop(1), plan(NaN), 1)).toThrow(RangeError)
  })
})

describe('deploy', () => {
  const deployed = deploy(shop(1), { seed: 1, probes })

  it('starts any number of what-if runs from one state, none of which another sees', () => {
    const first = JSON.stringify(deployed.whatIf(killing))
    const quiet = settled(deployed.whatIf({ timing, probes, actions: [] }))
    expect(failed(quiet)).toBe(0)
    expect(JSON.stringify(deployed.whatIf(killing))).toBe(first)
    expect(JSON.stringify(deployed.whatIf(killing, { seed: 5 }))).not.toBe(first)
  })

  it('agrees with a simulation from the start', () => {
    expect(deployed.whatIf(killing)).toEqual(simulate(shop(1), killing, 1))
  })

  it('rolls another revision out before the plan', () => {
    const before = settled(deployed.whatIf(killing))
    const after = settled(deployed.whatIf(killing, { manifests: shop(3) }))
    expect(failed(after)).toBeLessThan(failed(before))
  })

  it('takes away what a revision lacks', () => {
    const withoutStore = shop(1).filter(({ metadata }) => metadata.name !== 'store')
    const trace = deploy(shop(1), { seed: 1, probes, settleMs: 30_000 }).whatIf(killing, { manifests: withoutStore })
    expect(trace).toMatchObject({ settled: false, waiting: ['probe front: status 502'] })
  })
})
