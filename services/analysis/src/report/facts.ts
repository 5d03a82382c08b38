import { type Check, type Finding, type Results, type Run, type Verdict } from '@ordeal/shared'
import { type ReportInput } from './report-input.js'
import { PROVENANCE_WORDS } from './words.js'

export type ResultRun = Results['runs'][number]
export type ResultRevision = Results['revisions'][number]
export type SteadyState = NonNullable<Results['hypothesis']>['steadyStates'][number]

/** A judged run with what was recorded of it. */
export interface RunFacts {
  judged: ResultRun
  /** The artefact with the samples; null when there is none. */
  recorded: Run | null
  verdict: Verdict | null
  /** `r0`, `r1`; with a number of its own where a revision was run several times. */
  name: string
  /** Set when this run decides the outcome: the kept revision's, else that of the user's own manifests. */
  decides: boolean
}

/** The revision that is delivered; null when the user's manifests stay as they are. */
export function keptRevision(results: Results): ResultRevision | null {
  return results.revisions.filter((r) => r.kept && r.number > 0).at(-1) ?? null
}

const sameRevision = <T extends { revision: number }>(all: readonly T[], revision: number): T[] =>
  all.filter((each) => each.revision === revision)

/** The judged runs, each with its record. */
export function runFacts(input: ReportInput): RunFacts[] {
  const { runs } = input.results
  const kept = keptRevision(input.results)?.number ?? 0
  const deciding = runs.findLastIndex((run) => run.revision === kept)
  return runs.map((judged, index) => {
    const twins = sameRevision(runs, judged.revision)
    const turn = twins.indexOf(judged)
    return {
      judged,
      recorded: sameRevision(input.runs, judged.revision)[turn] ?? null,
      verdict: sameRevision(input.verdicts ?? [], judged.revision)[turn] ?? null,
      name: `r${judged.revision}${twins.length > 1 ? `, attempt ${turn + 1}` : ''}`,
      decides: index === deciding,
    }
  })
}

/** Steady states in the order of the hypothesis. */
export const steadyStates = (results: Results): readonly SteadyState[] => results.hypothesis?.steadyStates ?? []

/** What a steady state says, by its id; the id itself where the hypothesis does not have it. */
export function statementOf(results: Results, id: string): string {
  return steadyStates(results).find((s) => s.id === id)?.statement ?? id
}

/** Ids of the steady states that a run was judged by: those of the hypothesis first, in its order. */
export function judgedIds(results: Results, runs: readonly ResultRun[]): string[] {
  const known = steadyStates(results).map((s) => s.id)
  return [...new Set([...known, ...runs.flatMap((run) => run.checks.map((c) => c.steadyState))])]
}

const failedChecks = (run: ResultRun): Check[] => run.checks.filter((c) => c.outcome === 'failed')

/** Ids of the steady states that failed in some window of a run. */
export const failedIds = (run: ResultRun): string[] => [...new Set(failedChecks(run).map((c) => c.steadyState))]

/** The check that tells most about a failed steady state: what happened during the fault before what came after. */
export function tellingCheck(run: ResultRun, id: string): Check | null {
  const failed = failedChecks(run).filter((c) => c.steadyState === id)
  return failed.find((c) => c.window === 'fault') ?? failed[0] ?? null
}

/** Share of good samples of a steady state over the fault and post windows, 0–1; null when nothing was measured. */
export function goodShare(run: ResultRun, id: string): number | null {
  const checks = run.checks.filter((c) => c.steadyState === id && c.window !== 'pre')
  const samples = checks.reduce((sum, c) => sum + c.samples, 0)
  return samples === 0 ? null : 1 - checks.reduce((sum, c) => sum + c.failed, 0) / samples
}

/** The command that repeats the cycle. */
export function reproduceCommand(input: ReportInput): string {
  return input.command ?? `ordeal run PATH --seed ${input.results.cycle.seed}`
}

const RANK: Readonly<Record<Finding['severity'], number>> = { error: 0, warning: 1, note: 2 }

/** The gravest first, otherwise in their order. */
export const bySeverity = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity])

/** Whose words the summary is. */
export function summaryBy({ agents }: Pick<Results, 'agents'>): string {
  const provenance = agents.find((agent) => agent.name === 'summary')?.provenance ?? 'expert'
  return `summary: ${PROVENANCE_WORDS[provenance]}`
}
