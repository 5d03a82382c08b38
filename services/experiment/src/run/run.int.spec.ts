import { CHAOS_API } from '@ordeal/kubernetes'
import { cycleId, type Fault, type Run } from '@ordeal/shared'
import { barePodApp, deployment, deploymentApp, faultOn, hypothesisFor, hypothesisOf } from '../testing/applications.js'
import { type Application } from '../testing/cycle.js'
import { startEmbeddedCycle, type EmbeddedCycle } from '../testing/embedded-cycle.js'

const goodShare = (run: Run, id: string, window: 'pre' | 'fault' | 'post'): number => {
  const { from, to } = run.windows[window]
  const samples = (run.samples[id] ?? []).filter((s) => s.at >= from && s.at < to)
  return samples.filter((s) => s.ok).length / samples.length
}

/** A fault that was injected and removed. */
function known({ targets, evidence: { effect }, injectedAt, recoveredAt }: Run['injections'][number]) {
  if (injectedAt === null || recoveredAt === null) throw new Error('a fault was not injected, or not removed')
  return { targets, effect, from: injectedAt, to: recoveredAt }
}

describe('run on the embedded cluster', () => {
  const open: EmbeddedCycle[] = []
  const start = async (app: Application, options?: Parameters<typeof startEmbeddedCycle>[1]) => {
    const cycle = await startEmbeddedCycle(app, options)
    open.push(cycle)
    await cycle.measure()
    return cycle
  }
  const faultsLeft = async (cycle: EmbeddedCycle) =>
    (await (await cycle.look()).objects.list({ apiVersion: CHAOS_API, kind: 'PodChaos' })).length
  afterEach(async () => {
    for (const cycle of open.splice(0)) await cycle.close()
  })

  it('kills a pod, has both halves of the evidence, and samples through all windows', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const run = await cycle.run(hypothesisFor(app))
    expect(run.problem).toBeNull()
    expect(run.recovery).toEqual([{ component: 'Deployment/front', healthyAfterMs: 0, problem: null }])
    expect(run.injections).toMatchObject([
      {
        fault: 'f1',
        goneAfterMs: expect.any(Number),
        targets: [expect.stringMatching(/^front-/)],
        evidence: { record: expect.stringContaining('front-'), effect: expect.stringContaining('is gone') },
      },
    ])
    const [injection] = run.injections
    expect(injection?.recoveredAt).toBeGreaterThan(injection?.injectedAt ?? Infinity)
    expect(run.windows.pre.to).toBe(run.windows.fault.from)
    expect(run.windows.fault.to - run.windows.fault.from).toBeGreaterThanOrEqual(60_000)
    expect(goodShare(run, 'front-answers', 'pre')).toBe(1)
    expect(goodShare(run, 'front-answers', 'fault')).toBeLessThan(1)
    expect(goodShare(run, 'front-answers', 'post')).toBe(1)
    expect(run.observations).toContainEqual(expect.objectContaining({ what: expect.stringContaining('Killing') }))
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('gives the same samples for the same seed, whatever the cycle is called', async () => {
    const app = deploymentApp('front', 2)
    const runs: Run[] = []
    for (const name of ['aaaaaaaaaaaaaaaa', 'zzzzzzzzzzzzzzzz']) {
      const cycle = await start(app, { seed: 7, cycleId: cycleId.parse(`cyc-${name}`) })
      runs.push(await cycle.run(hypothesisFor(app)))
    }
    expect(runs[0]?.samples).toEqual(runs[1]?.samples)
    expect(runs[0]?.injections).toEqual(runs[1]?.injections)
  })

  it('rolls a revision out as a delta: a Pod becomes a Deployment, and the kill is survived', async () => {
    const app = barePodApp('front')
    const cycle = await start(app)
    const first = await cycle.run(hypothesisFor(app))
    expect(goodShare(first, 'front-answers', 'post')).toBe(0)
    expect(first.recovery).toEqual([{ component: 'Pod/front', healthyAfterMs: null, problem: 'it is gone' }])
    expect(cycle.notes.join()).not.toContain('quarantined')
    await cycle.putRevision(1, [deployment('front', 2), ...app.objects.slice(1)])
    const second = await cycle.run(hypothesisFor(app), 1)
    expect(second.problem).toBeNull()
    expect(goodShare(second, 'front-answers', 'post')).toBe(1)
    const { objects } = await cycle.look()
    const pods = await objects.list({ apiVersion: 'v1', kind: 'Pod', labels: { app: 'front' } })
    expect(pods.map((p) => p.metadata.name)).not.toContain('front')
  })

  it('reports a revision that the cluster rejects, and goes on with the next', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const wrong = { ...deployment('front', 1), spec: { ...(deployment('front', 1).spec as object), replicas: -1 } }
    await cycle.putRevision(1, [wrong, ...app.objects.slice(1)])
    expect((await cycle.run(hypothesisFor(app), 1)).problem).toMatchObject({
      reason: 'rejected-by-cluster',
      message: expect.stringContaining('Deployment/front'),
    })
    await cycle.putRevision(2, [deployment('front', 2), ...app.objects.slice(1)])
    expect((await cycle.run(hypothesisFor(app), 2)).problem).toBeNull()
  })

  it('measures how long after the fault its target is healthy again', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const run = await cycle.run(hypothesisFor(app, { action: 'pod-failure', durationMs: 20_000 }))
    const [back] = run.recovery ?? []
    expect(back).toMatchObject({ component: 'Deployment/front', problem: null })
    expect(back?.healthyAfterMs).toBeGreaterThan(0)
    expect(back?.healthyAfterMs).toBeLessThan(10_000)
  })

  it('waits for a target that no check misses, and quarantines the sandbox when it stays away', async () => {
    const app = barePodApp('front')
    const own = structuredClone(app.objects[0]) as { metadata: { name: string; labels: Record<string, string> } }
    own.metadata = { name: 'other', labels: { app: 'front', own: 'other' } }
    const cycle = await start({ ...app, objects: [own, ...app.objects] })
    const target = { component: 'Pod/other', selector: { own: 'other' }, mode: 'one' as const, count: null }
    const run = await cycle.run(hypothesisFor(app, { target }))
    expect(goodShare(run, 'front-answers', 'post')).toBe(1)
    expect(run.recovery).toEqual([{ component: 'Pod/other', healthyAfterMs: null, problem: 'it is gone' }])
    expect(cycle.notes).toContain('r0: waiting for Pod/other to come back')
    expect(cycle.notes).toContainEqual(
      expect.stringMatching(/is quarantined: Pod\/other did not come back .*: it is gone/),
    )
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: cycle.namespace } }
    expect((await (await cycle.look()).objects.get(space))?.metadata.annotations).toHaveProperty([
      'ordeal.dev/quarantined',
    ])
  })

  it('refuses a fault that would hit nothing', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const target = { component: 'Deployment/front', selector: { app: 'nobody' }, mode: 'one' as const, count: null }
    const run = await cycle.run(hypothesisFor(app, { target }))
    expect(run.problem).toMatchObject({ reason: 'no-targets' })
    expect(run.injections).toEqual([])
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('shows a delay at its targets themselves', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const delay: Partial<Fault> = { kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 100 } }
    const run = await cycle.run(hypothesisFor(app, { ...delay, durationMs: 20_000 }))
    expect(run.problem).toBeNull()
    expect(run.injections[0]?.evidence.effect).toMatch(/answers after 2\d\d ms instead of \d ms/)
  })

  it('runs steps one after the other and the faults of a step at once, each with its own evidence', async () => {
    const app = deploymentApp('front', 3)
    const cycle = await start(app)
    const fault = (more: Partial<Fault>) => faultOn(app, { durationMs: 10_000, ...more })
    const all = { ...fault({}).target, mode: 'all' as const }
    const hypothesis = hypothesisOf(app, [
      [fault({ id: 'stop', action: 'pod-failure', target: all })],
      [fault({ id: 'restart', action: 'container-kill' }), fault({ id: 'kill', durationMs: 5000 })],
    ])
    const run = await cycle.run(hypothesis)
    expect(run.problem).toBeNull()
    const [stop, restart, kill] = run.injections.map(known)
    expect([stop?.targets.length, restart?.effect, kill?.effect]).toEqual([
      3,
      expect.stringMatching(/restarted|not ready/),
      expect.stringContaining('is gone'),
    ])
    expect(restart?.from).toBe(kill?.from)
    expect(restart?.from).toBeGreaterThanOrEqual(Number(stop?.to))
    expect(kill?.to).toBeLessThan(Number(restart?.to))
  })

  it('takes a fault that shows nothing for no test', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const delay: Partial<Fault> = { kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: 0 } }
    const run = await cycle.run(hypothesisFor(app, { ...delay, durationMs: 20_000 }))
    expect(run.problem).toMatchObject({ reason: 'silent-injection' })
  })

  it('takes the fault back when the cycle is cancelled in the middle of it', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const context = cycle.context(0, 'run')
    const progress: typeof context.progress = (note) => {
      if (note.kind === 'fault') context.abort('cancelled')
    }
    await expect(cycle.run(hypothesisFor(app), 0, { ...context, progress })).rejects.toMatchObject({
      code: 'aborted-cancelled',
    })
    const { objects, clock } = await cycle.look()
    await clock.waitUntil((await clock.now()) + 1000, new AbortController().signal)
    expect(await objects.list({ apiVersion: CHAOS_API, kind: 'PodChaos' })).toEqual([])
  })

  it('is stopped by a guard, which takes the fault back at once', async () => {
    const app = barePodApp('front')
    const cycle = await start(app, { options: { abortWhen: ['availability<50% for 5s'] } })
    const run = await cycle.run(hypothesisFor(app))
    expect(run.problem).toEqual({
      reason: 'guard',
      message: "the run was stopped: front-answers: 0 % good within 5 s (guard 'availability<50% for 5s')",
    })
    const { fault, post } = run.windows
    expect(fault.to - fault.from).toBeGreaterThanOrEqual(5000)
    expect(fault.to - fault.from).toBeLessThan(10_000)
    expect(post).toEqual({ from: fault.to, to: fault.to })
    expect(run.injections[0]?.recoveredAt).toBeLessThanOrEqual(fault.to)
    expect(goodShare(run, 'front-answers', 'fault')).toBeLessThan(0.1)
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('is left alone by a guard that has no cause', async () => {
    const app = deploymentApp('front', 2)
    const cycle = await start(app, { options: { abortWhen: ['availability<50% for 5s', '50 failures in a row'] } })
    expect((await cycle.run(hypothesisFor(app))).problem).toBeNull()
  })

  it('is not begun with a guard that watches nothing', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app, { options: { abortWhen: ['back: 3 failures in a row'] } })
    await expect(cycle.run(hypothesisFor(app))).rejects.toMatchObject({ code: 'guard-unknown' })
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('injects nothing into a namespace that is another cycle’s by now', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    const context = cycle.context(0, 'run')
    const { objects } = await cycle.look()
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: cycle.namespace } }
    const announce: typeof context.announce = async (draft) => {
      await context.announce(draft)
      await objects.patch(space, { metadata: { labels: { 'ordeal.dev/cycle': 'cyc-zzzzzzzzzzzzzzzz' } } })
    }
    const run = cycle.run(hypothesisFor(app), 0, { ...context, announce })
    await expect(run).rejects.toMatchObject({ code: 'namespace-lost' })
    expect(await faultsLeft(cycle)).toBe(0)
  })

  it('ends with the cluster when that is gone', async () => {
    const app = deploymentApp('front', 1)
    const cycle = await start(app)
    await cycle.close()
    await expect(cycle.run(hypothesisFor(app))).rejects.toMatchObject({ code: 'cluster-lost' })
  })
})
