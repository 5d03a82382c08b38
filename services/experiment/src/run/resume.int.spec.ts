import { CHAOS_API } from '@ordeal/kubernetes'
import { type MemoryContext } from '@ordeal/shared/testing'
import { type Run } from '@ordeal/shared'
import { deploymentApp, hypothesisFor } from '../testing/applications.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'

const app = deploymentApp('front', 2)
const hypothesis = hypothesisFor(app, { action: 'pod-failure', durationMs: 10_000 })

/** A context whose process dies at a point of a durable step, as the crash tests name them: nobody cleans up after it. */
function dying(context: MemoryContext, point: string): MemoryContext {
  const hit = (where: string): void => {
    if (where !== point) return
    context.abort('lease-lost')
    context.assertLease()
  }
  const step: MemoryContext['step'] = async (name, schema, work) => {
    hit(`before ${name}`)
    const result = await context.step(name, schema, async (kept) => {
      const value = await work(kept)
      hit(`worked ${name}`)
      return value
    })
    hit(`recorded ${name}`)
    return result
  }
  return { ...context, step }
}

/**
 * What depends neither on whether the run was left alone in between, nor on the cycle's name, nor on when within a moment
 * the injector's record was read.
 */
const comparable = ({ resumed: _, ...run }: Run): unknown => {
  const injections = run.injections.map((i) => ({ ...i, injectedAt: Math.round((i.injectedAt ?? 0) / 1000) }))
  return JSON.parse(JSON.stringify({ ...run, injections }).replaceAll(/cyc-[a-z0-9]{16}/g, 'cyc'))
}

describe('a run whose service dies in the middle, on the embedded cluster', () => {
  const open: EmbeddedCycle[] = []
  const start = async () => {
    const cycle = await startEmbeddedCycle(app, { seed: 3 })
    open.push(cycle)
    await cycle.measure()
    return cycle
  }
  const die = async (cycle: EmbeddedCycle, point: string): Promise<void> => {
    const context = dying(cycle.context(0, 'run'), point)
    await expect(cycle.run(hypothesis, 0, context)).rejects.toMatchObject({ code: 'aborted-lease-lost' })
  }
  const faultsLeft = async (cycle: EmbeddedCycle) =>
    (await (await cycle.look()).objects.list({ apiVersion: CHAOS_API, kind: 'PodChaos' })).length
  let undisturbed: Run
  beforeAll(async () => {
    undisturbed = await (await start()).run(hypothesis)
  })
  afterEach(async () => {
    for (const cycle of open.splice(0)) await cycle.close()
  })

  it.each([
    'recorded begin',
    'before moment-0-due',
    'worked moment-0-due',
    'recorded moment-0-due',
    'recorded moment-0',
    'worked moment-1-due',
    'recorded moment-1-due',
    'worked moment-1',
    'recorded moment-1',
  ])('goes on where it was, to the same end: %s', async (point) => {
    const cycle = await start()
    await die(cycle, point)
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ resumed: 1, problem: null })
    expect(comparable(run)).toEqual(comparable(undisturbed))
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('goes on again and again', async () => {
    const cycle = await start()
    for (const point of ['recorded begin', 'recorded moment-0-due', 'recorded moment-0', 'worked moment-1'])
      await die(cycle, point)
    const run = await cycle.run(hypothesis)
    expect(run.resumed).toBe(4)
    expect(comparable(run)).toEqual(comparable(undisturbed))
  })

  it('is begun anew when it had not begun, and says so', async () => {
    const cycle = await start()
    await die(cycle, 'worked begin')
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ attempt: 2, problem: null })
    expect(run.resumed).toBeUndefined()
    expect(cycle.notes).toContain('r0: begun anew, since attempt 1 was cut short')
  })

  const later = async (cycle: EmbeddedCycle, ms: number): Promise<void> => {
    const { clock } = await cycle.look()
    await clock.waitUntil((await clock.now()) + ms, new AbortController().signal)
  }
  it.each([
    ['an injection that nobody came to write down', 'worked moment-0', 3000],
    ['the end of a fault, by its duration', 'recorded moment-0', 11_000],
    ['a removal that nobody came to verify', 'worked moment-1', 30_000],
  ])('finds %s in the record of the cluster, with its time', async (_, point, ms) => {
    const cycle = await start()
    await die(cycle, point)
    await later(cycle, ms)
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ resumed: 1, problem: null })
    expect(run.attempt).toBeUndefined()
    // Times that the cluster writes down have whole seconds.
    expect(run.windows.fault.from).toBe(undisturbed.windows.fault.from)
    expect(run.windows.fault.to).toBeGreaterThanOrEqual(undisturbed.windows.fault.to)
    expect(run.windows.fault.to).toBeLessThan(undisturbed.windows.fault.to + 1000)
    const [injection] = run.injections
    expect(injection?.evidence).toEqual(undisturbed.injections[0]?.evidence)
    expect(injection?.injectedAt).toBeLessThan(run.windows.fault.from + 2000)
    const { 'front-answers': samples = [] } = undisturbed.samples
    expect(run.samples['front-answers']?.slice(0, samples.length)).toEqual(samples)
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('is begun anew when it died before an injection and came back after its time', async () => {
    const cycle = await start()
    await die(cycle, 'before moment-0-due')
    await later(cycle, 11_000)
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ attempt: 2, problem: null, injections: [{ fault: 'f1' }] })
    expect(cycle.notes).toContainEqual(expect.stringMatching(/begun anew, since what was planned next is \d+ s late/))
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('is begun anew when its fault is over and nobody looked at its targets', async () => {
    const cycle = await start()
    await die(cycle, 'worked moment-0')
    await later(cycle, 30_000)
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ attempt: 2, problem: null })
    expect(cycle.notes).toContainEqual(expect.stringMatching(/begun anew, since fault f1 is over, and nobody saw/))
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('is begun anew when nothing tells when its fault ended', async () => {
    const cycle = await start()
    await die(cycle, 'worked moment-1')
    await later(cycle, 30_000)
    const { objects } = await cycle.look()
    for (const event of await objects.list({ apiVersion: 'v1', kind: 'Event', namespace: cycle.namespace })) {
      await objects.remove(event)
    }
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ attempt: 2, problem: null })
    expect(cycle.notes).toContain('r0: begun anew, since nobody knows when fault f1 ended')
  })

  it('is gone on with, however late, once all faults are over', async () => {
    const cycle = await start()
    await die(cycle, 'recorded moment-1')
    const { clock } = await cycle.look()
    await clock.waitUntil((await clock.now()) + 60_000, new AbortController().signal)
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ resumed: 1, problem: null, windows: undisturbed.windows })
  })

  it('is begun anew when its fault was taken back meanwhile', async () => {
    const cycle = await start()
    const context = cycle.context(0, 'run')
    const progress: typeof context.progress = (note) => {
      if (note.kind === 'fault') context.abort('stopping')
    }
    await expect(cycle.run(hypothesis, 0, { ...context, progress })).rejects.toMatchObject({ code: 'aborted-stopping' })
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ attempt: 2, problem: null })
    expect(cycle.notes).toContainEqual(expect.stringContaining('was taken back meanwhile'))
  })

  it('is begun anew when its prober is gone', async () => {
    const cycle = await start()
    await die(cycle, 'recorded moment-0')
    const metadata = { name: 'prober-r0', namespace: `${cycle.namespace}-prober` }
    await (await cycle.look()).objects.remove({ apiVersion: 'v1', kind: 'Pod', metadata }, { graceSeconds: 0 })
    const run = await cycle.run(hypothesis)
    expect(run).toMatchObject({ attempt: 2, problem: null })
    expect(cycle.notes).toContainEqual(expect.stringContaining('the prober did not run through'))
  })
})
