import { type Cluster, type ClusterObject, isRefused, objectIdOf, RefusedError } from '@ordeal/kubernetes'
import { PROBER_ENV, PROBER_IMAGE, type ProberConfig } from '@ordeal/prober'
import { DeadlineError } from '@ordeal/shared'
import { parseCondition } from './condition.js'
import { type Step } from './scenario.js'
import { collectionOf, findTargets, parseTarget } from './target.js'

/** Where a scenario runs. */
export interface Stage {
  readonly cluster: Cluster
  readonly namespace: string
  readonly signal: AbortSignal
  /** Told what was made outside the namespace, which has to be removed again. */
  readonly outside: (made: ClusterObject) => void
}

/** Marks the pod of the prober, which is no part of the scenario. */
export const PROBER_LABEL = 'ordeal.dev/conformance-prober'
const PROBER = 'prober'

/** What the server said: `ok`, or the status, the reason and the words of its refusal. */
export type Answer = string

/** Performs a step: the answers of the server, or the deadline that passed. Throws when the cluster is lost. */
export async function perform(stage: Stage, step: Step): Promise<Answer[]> {
  if ('apply' in step) return inTurn(step.apply, (manifest) => answer(step.refused, () => apply(stage, manifest)))
  if ('until' in step) return [await waitUntil(stage, step)]
  if ('advance' in step) {
    const { clock } = stage.cluster
    await clock.waitUntil((await clock.now()) + step.advance, stage.signal)
    return []
  }
  if ('traffic' in step) return [await startTraffic(stage, step)]
  return change(stage, step)
}

type Change = Extract<Step, { patch: string } | { delete: string } | { evict: string }>

async function change(stage: Stage, step: Change): Promise<Answer[]> {
  const target = parseTarget('patch' in step ? step.patch : 'delete' in step ? step.delete : step.evict)
  const found = await findTargets(stage.cluster, stage.namespace, target)
  if (found.length === 0) throw new Error(`there is nothing to change: ${JSON.stringify(step)}`)
  return inTurn(found, (object) => answer(step.refused, () => changeOne(stage, step, object)))
}

async function changeOne({ cluster }: Stage, step: Change, object: ClusterObject): Promise<void> {
  const path = await pathOf(cluster, object)
  if ('evict' in step) {
    const { name, namespace } = object.metadata
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    await cluster.ask({ method: 'POST', path: `${path}/eviction`, body, once: true })
  } else if ('patch' in step) {
    const contentType = `application/${step.strategic ? 'strategic-merge-patch' : 'merge-patch'}+json`
    await cluster.ask({ method: 'PATCH', path, body: step.with, contentType })
  } else {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: step.cascade,
      gracePeriodSeconds: step.grace,
    }
    await cluster.ask({ method: 'DELETE', path, body })
  }
}

async function apply({ cluster, namespace, outside }: Stage, manifest: ClusterObject): Promise<void> {
  if (await cluster.objects.namespaced(manifest)) {
    await cluster.objects.create({ ...manifest, metadata: { namespace, ...manifest.metadata } })
  } else outside(await cluster.objects.create(manifest))
}

async function waitUntil(
  { cluster, namespace, signal }: Stage,
  step: { until: string; within: number },
): Promise<Answer> {
  const { target, holds } = parseCondition(step.until)
  const watch = [await cluster.objects.path(collectionOf(target, namespace))]
  const check = async () => holds(await findTargets(cluster, namespace, target)) || undefined
  try {
    await cluster.clock.waitFor({ what: step.until, withinMs: step.within, watch, check }, signal)
    return 'ok'
  } catch (error) {
    if (error instanceof DeadlineError) return `deadline: ${step.until}`
    throw error
  }
}

async function startTraffic(
  { cluster, namespace, signal }: Stage,
  step: Extract<Step, { traffic: string }>,
): Promise<Answer> {
  const probe = {
    id: 'calls',
    kind: 'http',
    url: step.traffic,
    ratePerSecond: step.rate,
    timeoutMs: step.timeout,
  } as const
  const config: ProberConfig = { probes: [probe] }
  const env = [{ name: PROBER_ENV, value: JSON.stringify(config) }]
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: PROBER, namespace, labels: { [PROBER_LABEL]: 'true' } },
    spec: { containers: [{ name: PROBER, image: PROBER_IMAGE, env }], terminationGracePeriodSeconds: 0 },
  }
  await cluster.objects.create(pod)
  const watch = [await cluster.objects.path({ apiVersion: 'v1', kind: 'Pod', namespace })]
  const check = async () => ((await samples(cluster, namespace)).length > 0 ? true : undefined)
  await cluster.clock.waitFor({ what: 'the first request', withinMs: 60_000, watch, everyMs: 500, check }, signal)
  return 'ok'
}

/** The lines of the prober's log so far; none while it has not begun. */
export async function samples(cluster: Cluster, namespace: string): Promise<string[]> {
  try {
    return (await cluster.objects.log({ namespace, name: PROBER })).split('\n').filter((line) => line !== '')
  } catch (error) {
    if (error instanceof RefusedError) return []
    throw error
  }
}

async function pathOf(cluster: Cluster, { apiVersion, kind, metadata }: ClusterObject): Promise<string> {
  const collection = await cluster.objects.path({ apiVersion, kind, namespace: metadata.namespace })
  return `${collection}/${metadata.name}`
}

async function answer(refused: boolean, ask: () => Promise<void>): Promise<Answer> {
  try {
    await ask()
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    // Below the first line may stand how two objects differ, field by field.
    return `${error.status} ${error.reason}: ${error.message.split('\n')[0]}`
  }
  return refused ? 'ok, where a refusal was expected' : 'ok'
}

/** Whether a step went as the scenario means it: a recording of anything else would be worth nothing. */
export function asMeant(step: Step, answers: readonly Answer[]): boolean {
  const refused = 'refused' in step && step.refused
  return answers.every((one) => (refused ? /^\d/.test(one) : one === 'ok'))
}

async function inTurn<T>(items: readonly T[], run: (item: T) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const item of items) answers.push(await run(item))
  return answers
}

/** Removes an object that lives in no namespace. */
export async function removeOutside(cluster: Cluster, object: ClusterObject): Promise<void> {
  try {
    await cluster.objects.remove(object, { graceSeconds: 0 })
  } catch (error) {
    if (!isRefused(error, 404)) throw new Error(`${objectIdOf(object)} could not be removed`, { cause: error })
  }
}
