import { autoscalersOf, idOf, type KubernetesObject } from '@ordeal/kubernetes'
import {
  type Change,
  type Diagnosis,
  type Fault,
  type Graph,
  type Revision,
  type Verdict,
  type Workload,
  canonicalJson,
  type rejectedSchema,
} from '@ordeal/shared'
import { type z } from 'zod'
import { candidatesFor } from '../candidates/catalogue.js'
import { type Candidate, type Situation } from '../candidates/candidate.js'

type Rejected = z.infer<typeof rejectedSchema>

/** A revision that was tested, with its verdict. */
export interface Attempt {
  readonly revision: Revision
  readonly verdict: Verdict
}

/**
 * The revision that the next one builds on: the newest that did better than its own base without making anything fail
 * that held; r0 (null) when none did. Every other attempt counts as undone.
 */
export function baseOf(attempts: readonly Attempt[]): Attempt | null {
  const gained = ({ verdict }: Attempt): boolean =>
    verdict.comparison !== null && verdict.comparison.better && verdict.comparison.regressions.length === 0
  return attempts.findLast(gained) ?? null
}

/** `next` on top of `earlier`: a second edit of one path takes the place of the first and keeps its `before`. */
export function stack(earlier: readonly Change[], next: readonly Change[]): Change[] {
  const same = (a: Change, b: Change): boolean =>
    a.kind === 'edit' && b.kind === 'edit' && a.object === b.object && a.path === b.path
  const kept = earlier.filter((e) => !next.some((n) => same(e, n)))
  return [...kept, ...next.map((n) => ({ ...n, before: (earlier.find((e) => same(e, n)) ?? n).before }))]
}

const fingerprint = (changes: readonly Change[]): string =>
  changes
    .map(({ kind, object, path, after }) => canonicalJson({ kind, object, path, after: after ?? null }))
    .toSorted()
    .join('\n')

/** What speaks against a revision that was tested and not kept. */
export function whyUndone({ verdict }: Pick<Attempt, 'verdict'>): string {
  if (verdict.verdict === 'inconclusive') return verdict.message ?? verdict.reason ?? 'its run proved nothing'
  const regressions = verdict.comparison?.regressions ?? []
  if (regressions.length > 0) return `it made fail what held before: ${regressions.join(', ')}`
  return `it was not enough: score ${verdict.score}`
}

/** Changes in a few words. */
export const wordsFor = (changes: readonly Change[]): string =>
  changes.map((c) => `${c.kind} ${c.object}${c.path ? ` ${c.path}` : ''}`).join(', ')

/** What the choice is made from. `objects` and `graph` are those of the base. */
export interface ChoiceInput {
  readonly graph: Graph
  readonly objects: readonly KubernetesObject[]
  readonly diagnosis: Diagnosis
  readonly verdict: Verdict
  readonly attempts: readonly Attempt[]
  readonly component: Workload | undefined
  /** All of the frozen scenario. */
  readonly faults: readonly Fault[]
}

export interface Choice {
  /** What may be tried, in this order, each with all changes since r0. */
  readonly open: readonly Change[][]
  readonly rejected: Rejected[]
}

export function situationOf({ graph, objects, diagnosis, verdict, component, faults }: ChoiceInput): Situation | null {
  const object = component && objects.find((o) => idOf(o) === component.id)
  if (!object) return null
  const failed = verdict.checks.filter((c) => c.outcome === 'failed' && c.window !== 'pre').map((c) => c.steadyState)
  const hits = faults.filter((f) => f.target.component === diagnosis.component)
  const scaler = autoscalersOf(objects).get(component.id)
  const known = { graph, workload: component, object, diagnosis, faults: hits, failed: [...new Set(failed)] }
  return scaler ? { ...known, scaler } : known
}

const isRefused = (c: Candidate): c is Extract<Candidate, { refused: string }> => 'refused' in c

/** The changes that the catalogue offers to the workload as it is now, in order. */
export const candidateChanges = (situation: Situation): Change[][] =>
  candidatesFor(situation).flatMap((c) => (isRefused(c) ? [] : [[...c.changes]]))

/** True for changes that were tested before. */
export const isTried = (attempts: readonly Attempt[], changes: readonly Change[]): boolean =>
  attempts.some((a) => fingerprint(a.revision.changes) === fingerprint(changes))

/** The candidates of the catalogue that were not tried yet, and every idea that was left, with the reason. */
export function chooseRevisions(input: ChoiceInput): Choice {
  const base = baseOf(input.attempts)
  const undone = input.attempts
    .filter((a) => a !== base)
    .map((a) => ({ idea: wordsFor(a.revision.changes), why: whyUndone(a) }))
  const situation = situationOf(input)
  const candidates = situation ? candidatesFor(situation) : []
  const refused = candidates.filter(isRefused).map((c) => ({ idea: c.idea, why: c.refused }))
  const open = candidates
    .flatMap((c) => (isRefused(c) ? [] : [stack(base?.revision.changes ?? [], c.changes)]))
    .filter((changes) => !isTried(input.attempts, changes))
  return { open, rejected: [...undone, ...refused] }
}
