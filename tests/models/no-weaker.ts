import { isDeepStrictEqual } from 'node:util'
import { type Results } from '@ordeal/shared'
import { type Ended } from './applications.js'

type Hypothesis = NonNullable<Results['hypothesis']>
type SteadyState = Hypothesis['steadyStates'][number]

/** How good an outcome is for who asked: a model may not make it worse than the rules alone do. */
const WORTH = { failed: 0, cancelled: 0, inconclusive: 1, vulnerable: 2, improved: 3, resilient: 3 } as const
const EXIT = { resilient: 0, improved: 0, vulnerable: 2, inconclusive: 3, failed: 1, cancelled: 130 } as const

/** What no change may touch, whoever had the idea. */
const FORBIDDEN_PATH =
  /\/(image|command|args|env|envFrom|securityContext|hostPath|hostNetwork|hostPID|serviceAccountName|volumes|volumeMounts|namespace|labels|selector)(\/|$)/
/** Kinds that may be made; everything else is only edited. */
const MAY_BE_MADE = new Set(['PodDisruptionBudget', 'Deployment'])

/** Why a cycle with a model is worth less than the same by rules alone; none when it is worth no less. */
export function weaknessesOf(floor: Ended, now: Ended): string[] {
  if (!floor.results) return refusedAlike(floor, now)
  if (!now.results) return [`no results, exit ${now.code}: ${now.stderr.trim().split('\n').at(-1)}`]
  return [
    ...outcomeProblems(floor.results, now.results, now.code),
    ...hypothesisProblems(floor.results.hypothesis, now.results.hypothesis),
    ...runProblems(now.results),
    ...policyBreaches(floor.results, now.results),
  ]
}

const refusedAlike = (floor: Ended, now: Ended): string[] =>
  now.code === floor.code && now.stderr === floor.stderr ? [] : [`not refused as by rules, exit ${now.code}`]

function outcomeProblems(floor: Results, now: Results, code: number | null): string[] {
  const { outcome } = now.cycle
  return [
    ...(code === EXIT[outcome] ? [] : [`outcome ${outcome} with exit ${code}`]),
    ...(WORTH[outcome] < WORTH[floor.cycle.outcome] ? [`${outcome}, by rules ${floor.cycle.outcome}`] : []),
    ...(firstVerdict(floor) === 'refuted' && firstVerdict(now) !== 'refuted' ? [`r0 ${firstVerdict(now)}`] : []),
  ]
}

const firstVerdict = ({ runs }: Results): string => runs.findLast((run) => run.revision === 0)?.verdict ?? 'not run'

/** The rules' checks, no looser, and their leading step of faults, no shorter, must be there. */
function hypothesisProblems(floor: Hypothesis | null, now: Hypothesis | null): string[] {
  if (!floor) return []
  if (!now) return ['no hypothesis']
  return [
    ...floor.steadyStates.flatMap((state) => stateProblems(state, now.steadyStates)),
    ...(leadsAlike(floor, now) ? [] : ['another leading step of faults, or a shorter one']),
  ]
}

function stateProblems(state: SteadyState, now: readonly SteadyState[]): string[] {
  const same = now.find((s) => s.target === state.target && isDeepStrictEqual(s.probe, state.probe))
  if (!same) return [`${state.id} is gone`]
  const [a, b] = [state.threshold, same.threshold]
  const holds =
    b.fault.minShare >= a.fault.minShare &&
    b.fault.maxOutageMs <= a.fault.maxOutageMs &&
    b.post.minShare >= a.post.minShare &&
    b.post.normalAfterMs <= a.post.normalAfterMs
  return holds ? [] : [`${state.id} asks for less`]
}

function leadsAlike(floor: Hypothesis, now: Hypothesis): boolean {
  const [a, b] = [floor.scenario.faults[0] ?? [], now.scenario.faults[0] ?? []]
  const same = ({ durationMs: _, ...fault }: (typeof a)[number]): unknown => fault
  return isDeepStrictEqual(a.map(same), b.map(same)) && a.every((f, i) => f.durationMs <= (b[i]?.durationMs ?? 0))
}

/** A verdict must follow from its checks, and rest on checks that can fail. */
function runProblems({ runs, hypothesis }: Results): string[] {
  const judged = runs.filter((run) => run.verdict !== 'inconclusive')
  const states = hypothesis?.steadyStates ?? []
  return [
    ...judged.flatMap((run) => {
      const failed = run.checks.some((check) => check.outcome === 'failed')
      return failed === (run.verdict === 'refuted') ? [] : [`r${run.revision} ${run.verdict} against its checks`]
    }),
    ...(judged.length > 0 ? states.filter((s) => !s.negativeControl.failed).map((s) => `${s.id} cannot fail`) : []),
    ...(new Set(judged.map((run) => run.hypothesisHash)).size > 1 ? ['the runs tested different hypotheses'] : []),
  ]
}

function policyBreaches(floor: Results, now: Results): string[] {
  const known = new Set([...(floor.hypothesis?.steadyStates.map((s) => s.target) ?? []), ...objectsOf(floor)])
  return now.revisions
    .flatMap((revision) => revision.changes)
    .flatMap((change) => {
      const kind = change.object.split('/')[0] ?? ''
      if (change.kind === 'create' && !MAY_BE_MADE.has(kind)) return [`a ${kind} was made`]
      if (change.kind === 'edit' && FORBIDDEN_PATH.test(change.path)) return [`${change.object}${change.path} edited`]
      if (change.kind === 'delete' && !known.has(change.object)) return [`${change.object} deleted`]
      return []
    })
}

const objectsOf = ({ revisions }: Results): string[] => revisions.flatMap((r) => r.changes.map((c) => c.object))
