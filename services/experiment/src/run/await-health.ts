import { type Controller } from '@ordeal/kubernetes'
import { DeadlineError, type Hypothesis, type Run } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { unreadiness } from '../sandbox/readiness.js'
import { type RunFault } from './fault.js'

/** How each component that was hit came back. */
export type Recovery = NonNullable<Run['recovery']>

const API_OF: Readonly<Record<string, string>> = {
  Pod: 'v1',
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
}

/** What kind of thing a component is, for whoever has to look at it. */
const kindOf = (component: string): string => component.slice(0, component.indexOf('/'))

/** A component that was hit, and how many pods it had before. */
export interface Hit {
  readonly component: string
  readonly size: number
}

/** Components that faults hit and that can be ready or not: a Job, for one, is neither. */
export function hitComponents(faults: readonly RunFault[]): Hit[] {
  const hits = faults
    .filter(({ injection }) => injection.targets.length > 0)
    .flatMap(({ targets: { components, size } }) => components.map((component) => ({ component, size })))
  const byName = new Map(hits.map((hit) => [hit.component, hit]))
  return [...byName.values()].filter(({ component }) => kindOf(component) in API_OF)
}

/**
 * Waits until every component is as ready as it is meant to be, at the latest until `until`, and returns how long after
 * `since` each was for good. It looks once in any case.
 */
export async function awaitHealth(
  sandbox: Sandbox,
  hits: readonly Hit[],
  { since, until }: { readonly since: number; readonly until: number },
): Promise<Recovery> {
  const { cluster, context, namespace, podsPath } = sandbox
  const healthyAt = new Map<string, number>()
  const problems = new Map<string, string>()
  const check = async () => {
    const now = await cluster.clock.now()
    for (const { component, size } of hits) {
      const problem = await ailmentOf(sandbox, component, size)
      if (problem === null) healthyAt.set(component, healthyAt.get(component) ?? now)
      else healthyAt.delete(component)
      problems.set(component, problem ?? '')
    }
    return healthyAt.size === hits.length || undefined
  }
  const kinds = [...new Set(hits.map(({ component }) => kindOf(component)))].filter((kind) => kind !== 'Pod')
  const paths = kinds.map((kind) => cluster.objects.path({ apiVersion: API_OF[kind] ?? '', kind, namespace }))
  const watch = [podsPath, ...(await Promise.all(paths))]
  const withinMs = Math.max(0, until - (await cluster.clock.now()))
  try {
    await cluster.clock.waitFor({ what: 'healthy targets', withinMs, watch, check }, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return hits.map(({ component }) => {
    const at = healthyAt.get(component)
    return at === undefined
      ? { component, healthyAfterMs: null, problem: problems.get(component) ?? 'it was not looked at' }
      : { component, healthyAfterMs: Math.max(0, Math.round(at - since)), problem: null }
  })
}

/** Why a component is not healthy, in words; null when it is. */
async function ailmentOf({ cluster, namespace }: Sandbox, component: string, size: number): Promise<string | null> {
  const kind = kindOf(component)
  const metadata = { name: component.slice(kind.length + 1), namespace }
  const live = await cluster.objects.get<Controller>({ apiVersion: API_OF[kind] ?? '', kind, metadata })
  if (!live) return 'it is gone'
  if (live.metadata.deletionTimestamp) return 'it is on its way out'
  return hasGrown(live, size) ? null : unreadiness({ ...live, kind })
}

/** Who wants more pods than before (an autoscaler, mostly) may wait for room; those of before are what has to be back. */
const hasGrown = ({ spec, status }: Controller, size: number): boolean =>
  (spec.replicas ?? 0) > size && (status?.readyReplicas ?? 0) >= size

/**
 * Waits on for components that are not back by the end of the run while everything that is measured is: what is missing
 * then is not for any check to say. Where something measured fails, that says enough, and nobody waits.
 */
export async function awaitStragglers(
  sandbox: Sandbox,
  { recovery, hits }: { readonly recovery: Recovery; readonly hits: readonly Hit[] },
  { since, works }: { readonly since: number; readonly works: boolean },
): Promise<Recovery> {
  const isMissing = (hit: Hit): boolean =>
    recovery.some(({ component, healthyAfterMs }) => component === hit.component && healthyAfterMs === null)
  const missing = hits.filter(isMissing)
  if (missing.length === 0 || !works) return recovery
  const { context, readyMs } = sandbox
  const names = missing.map(({ component }) => component).join(', ')
  context.progress({ kind: 'step', message: `r${context.revision}: waiting for ${names} to come back` })
  const later = await awaitHealth(sandbox, missing, { since, until: since + readyMs })
  return recovery.map((one) => later.find(({ component }) => component === one.component) ?? one)
}

/** One bad sample may be chance. */
const LAST = 3

/** Whether, by the last samples of every steady state, everything that is measured works. */
export const worksAtLast = (states: Hypothesis['steadyStates'], samples: Run['samples']): boolean =>
  states.every(({ id, threshold }) => {
    const last = samples[id]?.slice(-LAST) ?? []
    return last.some(({ ok, latencyMs }) => ok && (latencyMs ?? 0) <= (threshold.maxLatencyMs ?? Infinity))
  })

/** Why nobody may rely on a sandbox after a run, in words; null when nothing speaks against it. */
export function whyQuarantined(
  { problem, recovery = [], samples }: Run,
  states: Hypothesis['steadyStates'],
): string | null {
  if (problem?.reason === 'not-recovered') return problem.message
  const sick = recovery.find(({ healthyAfterMs }) => healthyAfterMs === null)
  if (!sick || !worksAtLast(states, samples)) return null
  return `${sick.component} did not come back after its fault, though everything that is measured works: ${sick.problem}`
}
