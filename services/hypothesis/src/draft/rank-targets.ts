import { InputError, standsAlone, type FailureModel, type Graph, type Workload } from '@ordeal/shared'
import { canBeHit, hittable, tooFewToHit } from './may-be-hit.js'
import { reachOf } from './reach.js'

/** How likely it is that a fault at a workload is felt, 0–1, and the reason in words. */
interface Risk {
  readonly workload: Workload
  readonly likelihood: number
  readonly reason: string
}

interface Seen {
  readonly isServed: boolean
  /** True where all pods on one node are hit. */
  readonly byNode: boolean
}

function weaknessOf(workload: Workload, { isServed, byNode }: Seen): Omit<Risk, 'workload'> {
  if (!workload.managed) return { likelihood: 1, reason: 'nothing brings its pod back' }
  if (standsAlone(workload)) return { likelihood: 0.8, reason: 'it has a single pod' }
  if (byNode && workload.together) return { likelihood: 0.7, reason: 'all of its pods must run on one node' }
  if (!workload.readiness && isServed)
    return { likelihood: 0.6, reason: 'a new pod gets traffic before it is known to be ready' }
  return { likelihood: 0.2, reason: 'no weakness shows in its manifest' }
}

/**
 * Throws InputError when the application has too few workloads that can be hit as the failure model wants, which says
 * what the others lack.
 */
export function requireTargets(graph: Graph, model: FailureModel): void {
  const [tooFew] = tooFewToHit(graph, model)
  if (tooFew === undefined) return
  const lacks = graph.workloads
    .filter((w) => !canBeHit(w))
    .map((w) => `${w.id} ${w.replicas > 0 ? 'carries no labels' : 'has 0 replicas'}`)
  throw new InputError(
    lacks.length === graph.workloads.length ? `no fault can be aimed at the application: ${lacks.join(', ')}` : tooFew,
    null,
    lacks.length > 0
      ? 'Give the pods of a workload labels, and at least one replica'
      : 'Let more workloads be hit, or fewer at once',
  )
}

/** Workloads that may be hit, the most telling first: likely to be felt, on a user's path, near the user, by name. */
export function rankTargets(graph: Graph, model: FailureModel): Risk[] {
  const reach = reachOf(graph)
  const served = new Set(graph.services.flatMap((service) => service.workloads))
  const distance = (r: Risk): number => reach.get(r.workload.id) ?? Number.MAX_SAFE_INTEGER
  return hittable(graph, model)
    .map((workload) => ({
      workload,
      ...weaknessOf(workload, { isServed: served.has(workload.id), byNode: model.pods === 'node' }),
    }))
    .toSorted(
      (a, b) =>
        weightOf(reach, b) - weightOf(reach, a) ||
        distance(a) - distance(b) ||
        a.workload.id.localeCompare(b.workload.id),
    )
}

const weightOf = (reach: ReadonlyMap<string, number>, r: Risk): number =>
  r.likelihood * (reach.has(r.workload.id) ? 1 : 0.5)

/** More workloads than these are not combined with each other: the rest is less telling anyway. */
const MAX_COMBINED = 10
/** Two that stand in for each other tell most together: each of them alone may be missed by nobody. */
const STAND_IN = 0.5

/** The workloads that are hit at once, the most telling set first by likelihood and by standing in for each other. */
export function leadingRisks(graph: Graph, model: FailureModel): Risk[] {
  const ranked = rankTargets(graph, model).slice(0, MAX_COMBINED)
  const reach = reachOf(graph)
  const score = (set: readonly Risk[]): number =>
    set.reduce((sum, risk) => sum + weightOf(reach, risk), 0) + (standIn(graph, set) ? STAND_IN * set.length : 0)
  const sets = subsets(ranked, model.together)
  // The first of equals, hence in the order of the ranking.
  return sets.reduce<Risk[]>((best, set) => (best.length === 0 || score(set) > score(best) ? set : best), [])
}

export const leadingTargets = (graph: Graph, model: FailureModel): string[] =>
  leadingRisks(graph, model).map(({ workload }) => workload.id)

/** True when one caller has them all at hand. */
function standIn(graph: Graph, set: readonly Risk[]): boolean {
  if (set.length < 2) return false
  const callees = (from: string): Set<string> => {
    const services = graph.edges.filter((e) => e.from === from).map((e) => e.to)
    return new Set(graph.services.filter((s) => services.includes(s.id)).flatMap((s) => s.workloads))
  }
  return graph.workloads.some(({ id }) => set.every(({ workload }) => callees(id).has(workload.id)))
}

function subsets<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]))
}
