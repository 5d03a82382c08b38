import { undoneSchema, type Fault, type Run } from '@ordeal/shared'
import { deploymentApp, faultOn, hypothesisFor, hypothesisOf, withVariable } from '../testing/applications.js'
import { abortedWhenNoted } from '../testing/dying.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'
import { FUNCTIONAL_CASES } from '../testing/functional-cases.js'

const DURATION_MS = 40_000
const app = withVariable(deploymentApp('front', 2), { name: 'MODE', value: 'a' })
const functional = (action: string, parameters: object = {}): Partial<Fault> =>
  ({ kind: 'Functional', action, parameters, durationMs: DURATION_MS }) as Partial<Fault>

const goodShare = (run: Run, window: 'pre' | 'fault' | 'post'): number => {
  const { from, to } = run.windows[window]
  const samples = (run.samples['front-answers'] ?? []).filter((s) => s.at >= from && s.at < to)
  return samples.filter((s) => s.ok).length / samples.length
}

describe('functional faults on the embedded cluster', () => {
  const open: EmbeddedCycle[] = []
  const start = async (application = app): Promise<EmbeddedCycle> => {
    const cycle = await startEmbeddedCycle(application)
    open.push(cycle)
    await cycle.measure()
    return cycle
  }
  const undone = async (cycle: EmbeddedCycle): Promise<string[]> =>
    (await cycle.context(0, 'look').artefacts.all('undone', undoneSchema)).map(({ by }) => by)
  afterEach(async () => {
    for (const cycle of open.splice(0)) await cycle.close()
  })

  it.each(FUNCTIONAL_CASES)(
    '$action shows, and is taken back',
    async ({ action, parameters, record, effect, breaks }) => {
      const cycle = await start()
      const before = await undone(cycle)
      const run = await cycle.run(hypothesisFor(app, functional(action, parameters)))
      expect(run.problem).toBeNull()
      const [injection] = run.injections
      expect(injection?.evidence.record).toMatch(record)
      expect(injection?.evidence.effect).toMatch(effect)
      expect(injection?.recoveredAt).toBeGreaterThan(injection?.injectedAt ?? Infinity)
      expect(goodShare(run, 'pre')).toBe(1)
      if (breaks) expect(goodShare(run, 'fault')).toBeLessThan(0.5)
      else expect(goodShare(run, 'fault')).toBeGreaterThan(0.95)
      const expected = action === 'rolling-restart' ? [] : ['plan']
      expect((await undone(cycle)).slice(before.length)).toEqual(expected)
    },
  )

  it('a missing variable and a bad probe are two mistakes more', async () => {
    const cycle = await start()
    const missing = await cycle.run(hypothesisFor(app, functional('missing-env', { variable: 'MODE' })))
    expect(missing.injections[0]?.evidence.record).toContain('without the variable MODE')
    const probe = await cycle.run(
      hypothesisFor(app, functional('bad-probe', { probe: 'liveness' })),
      0,
      cycle.context(0, 'run-2'),
    )
    expect(probe.problem).toBeNull()
    expect(probe.injections[0]?.evidence).toMatchObject({ record: expect.stringContaining('liveness probe') })
  })

  it('a drained node loses its pods for others, and takes pods again afterwards', async () => {
    const cycle = await start()
    const run = await cycle.run(hypothesisFor(app, functional('node-drain')))
    expect(run.problem).toBeNull()
    expect(run.injections[0]?.evidence).toMatchObject({
      record: expect.stringMatching(/^Node\/node-\d cordoned and drained/),
      effect: expect.stringMatching(/gone|being ended/),
    })
    const { objects } = await cycle.look()
    const nodes = await objects.list({ apiVersion: 'v1', kind: 'Node' })
    expect(nodes.filter(({ spec }) => (spec as { unschedulable?: boolean }).unschedulable)).toEqual([])
  })

  it('more load than the workers can answer is felt, and ends', async () => {
    const slow = withVariable(deploymentApp('front', 1), { name: 'WORK', value: '200ms' })
    const cycle = await start(slow)
    const run = await cycle.run(hypothesisFor(slow, functional('excess-load', { requestsPerSecond: 100 })))
    expect(run.problem).toBeNull()
    expect(run.injections[0]?.evidence.effect).toContain('reach the target')
    expect(goodShare(run, 'fault')).toBeLessThan(0.6)
    expect(goodShare(run, 'post')).toBeGreaterThan(0.5)
  })

  it('an exhausted quota keeps a killed pod from coming back', async () => {
    const single = deploymentApp('front', 1)
    const cycle = await start(single)
    const quota = faultOn(single, { id: 'quota', ...functional('quota-exhausted') })
    const kill = faultOn(single, { id: 'kill', startAfterMs: 2000, durationMs: 20_000 })
    const run = await cycle.run(hypothesisOf(single, [[quota, kill]]))
    expect(run.problem).toBeNull()
    expect(run.injections.map(({ fault }) => fault).toSorted()).toEqual(['kill', 'quota'])
  })

  it('says why it cannot be done', async () => {
    const cycle = await start()
    const run = await cycle.run(hypothesisFor(app, functional('wrong-port', { service: 'nobody' })))
    expect(run.problem).toEqual({
      reason: 'not-injected',
      message: 'fault f1 (wrong-port) was not carried out: no service nobody',
    })
  })

  it('is undone by whoever comes after a process that died in the middle', async () => {
    const cycle = await start()
    const dying = abortedWhenNoted(cycle.context(0, 'run'), 'lease-lost')
    await expect(cycle.run(hypothesisFor(app, functional('wrong-selector')), 0, dying)).rejects.toMatchObject({
      code: 'aborted-lease-lost',
    })
    const run = await cycle.run(hypothesisFor(app, functional('wrong-selector')))
    expect(run.problem).toBeNull()
    expect(run.injections[0]?.evidence.effect).toMatch(/no endpoint/)
    expect((await undone(cycle)).slice(-2)).toEqual(['found', 'plan'])
  })
})
