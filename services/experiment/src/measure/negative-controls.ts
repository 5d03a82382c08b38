import { type ClusterObject } from '@ordeal/kubernetes'
import { DeadlineError, negativeControlSchema, type SteadyStateDraft } from '@ordeal/shared'
import { z } from 'zod'
import { lastWordAfter, periodOf } from '../prober/probes.js'
import { type RunningProber } from '../prober/prober-pod.js'
import { awaitAnswers } from '../sandbox/await-answers.js'
import { awaitReady } from '../sandbox/await-ready.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { breakTarget, cannotBreak, type Broken } from './break-target.js'
import { type ControlTarget } from './group-targets.js'
import { failsOn, within } from './judge-samples.js'
import { STUB_WORDS, startStubProber } from './stub-prober.js'

/** How long a broken target is watched: long enough for a handful of samples of every probe. */
const WATCH_MS = 5000
const LEAST_SAMPLES = 5
/** What was broken may still answer for this long: connections drain, routes are taken back. */
const DRAIN_MS = 3000

/** Why nothing is broken in place, in words. */
const IN_USE = 'what is in use is not broken for it'

/** By steady state: whether its check failed of the broken target, as it must, and how that was broken. */
export const controlsSchema = z.record(z.string(), negativeControlSchema)
export type Controls = z.infer<typeof controlsSchema>

export interface Application {
  readonly objects: readonly ClusterObject[]
  readonly prober: RunningProber
  /** All steady states: each must be good again before the next target is broken. */
  readonly states: readonly SteadyStateDraft[]
}

/** Breaks targets at once, each for all its checks, looks whether they fail, and brings everything back to work. */
export async function controlTargets(
  sandbox: Sandbox,
  targets: readonly ControlTarget[],
  app: Application,
): Promise<Controls> {
  const attempts = await breakAll(sandbox, targets, app.objects)
  const broken = attempts.flatMap(({ target, result }) => (typeof result === 'string' ? [] : [{ target, ...result }]))
  const found: Controls = {}
  if (broken.length) {
    const states = broken.flatMap(({ target }) => target.states)
    const failed = await watchFailures(sandbox, states, app.prober)
    for (const { restore } of broken) await restore()
    const scar = await comeBack(sandbox, app)
    for (const { target, how } of broken) {
      Object.assign(found, controls(target, failed, { how: how + scar, method: 'target-broken' }))
    }
  }
  for (const { target, result } of attempts) {
    if (typeof result === 'string') Object.assign(found, await controlByStub(sandbox, target, result))
  }
  return found
}

interface Attempt {
  readonly target: ControlTarget
  /** Why it could not be broken, in words. */
  readonly result: Broken | string
}

/** All are begun before the first is waited for. What does not end in time is brought back. */
async function breakAll(
  sandbox: Sandbox,
  targets: readonly ControlTarget[],
  objects: readonly ClusterObject[],
): Promise<Attempt[]> {
  const begun: Attempt[] = []
  for (const target of targets) {
    const result =
      sandbox.place.mode === 'in-place' ? IN_USE : await orWhyNot(async () => breakTarget(sandbox, target, objects))
    begun.push({ target, result: result ?? 'its target cannot be broken' })
  }
  const ended: Attempt[] = []
  for (const { target, result } of begun) ended.push({ target, result: await awaitBroken(result) })
  return ended
}

async function awaitBroken(result: Broken | string): Promise<Broken | string> {
  if (typeof result === 'string') return result
  const outcome = await orWhyNot(async () => {
    await result.ended()
    return result
  })
  if (typeof outcome === 'string') await result.restore()
  return outcome
}

/** Second best: the same probes pointed at a stub show at least that the checks can fail. */
async function controlByStub(sandbox: Sandbox, target: ControlTarget, why: string): Promise<Controls> {
  const prober = await startStubProber(sandbox, target.states)
  const failed = await watchFailures(sandbox, target.states, prober)
  await prober.stop()
  return controls(target, failed, { how: `${STUB_WORDS}, since ${why}`, method: 'stub' })
}

/** Waits until everything works again. That it does not is told with the control; the next settling will meet it. */
async function comeBack(sandbox: Sandbox, app: Application): Promise<string> {
  try {
    await awaitReady(sandbox, app.objects)
    const silence = await awaitAnswers(sandbox, app.prober, app.states)
    return silence ? `; afterwards it did not come back: ${silence.cause}` : ''
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    return `; afterwards ${error.message}`
  }
}

const controls = (
  target: ControlTarget,
  failed: ReadonlySet<string>,
  how: Pick<Controls[string], 'how' | 'method'>,
): Controls => Object.fromEntries(target.states.map(({ id }) => [id, { failed: failed.has(id), ...how }]))

/** That a target cannot be broken is no error: the reason is told with the control. */
async function orWhyNot<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    if (cannotBreak(error)) return `its target could not be broken: ${error.message}`
    throw error
  }
}

/** Ids of the checks that fail while their targets are broken. */
async function watchFailures(
  { cluster, context }: Sandbox,
  states: readonly SteadyStateDraft[],
  prober: RunningProber,
): Promise<Set<string>> {
  const from = (await cluster.clock.now()) + DRAIN_MS
  const to = from + Math.max(WATCH_MS, ...states.map((s) => LEAST_SAMPLES * periodOf(s)))
  await cluster.clock.waitUntil(to + lastWordAfter(states), context.signal)
  const samples = await prober.samples()
  return new Set(states.filter((s) => failsOn(within(samples, s.id, from, to), s)).map((s) => s.id))
}
