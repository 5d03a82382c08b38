import { agentSummarySchema, approvalSummarySchema, required, type Change, type Results } from '@ordeal/shared'
import { SCORE_FORMULA } from '../judge/score.js'
import { type Conclusion } from './conclusion.js'
import { type CycleRecord } from './read-cycle.js'

const runsOf = (record: CycleRecord): Results['runs'] =>
  record.runs.flatMap((run) => {
    const verdict = record.verdicts.findLast((v) => v.revision === run.revision)
    if (!verdict) return []
    const { attempt, resumed, intensity, hypothesisHash, windows, injections, recovery } = run
    const { revision, reason, checks } = verdict
    return [
      {
        revision,
        verdict: verdict.verdict,
        reason,
        ...(attempt ? { attempt } : {}),
        ...(resumed ? { resumed } : {}),
        ...(intensity ? { intensity } : {}),
        hypothesisHash,
        windows,
        injections: injections.map(({ fault, targets, evidence, replaced, goneAfterMs }) => ({
          ...{ fault, targets, evidence },
          ...(replaced ? { replaced } : {}),
          ...(goneAfterMs === undefined ? {} : { goneAfterMs }),
        })),
        ...(recovery ? { recovery } : {}),
        checks,
      },
    ]
  })

const NO_COST = { replicas: 0, cpu: 0, memory: 0 }

/** r0, then every revision that was tested, with the changes since r0; the kept one as it landed in the files. */
function revisionsOf(record: CycleRecord, kept: number | null, landed: readonly Change[]): Results['revisions'] {
  const first = { number: 0, parent: null, kept: kept === 0, changes: [], cost: NO_COST, rejected: [] }
  const tried = record.revisions.filter((r) => record.verdicts.some((v) => v.revision === r.number))
  const all = [
    first,
    ...tried.map((r) => ({ ...r, kept: r.number === kept, changes: r.number === kept ? [...landed] : r.changes })),
  ]
  // When improvement gave up, its last word on every idea belongs to the last revision that it tried.
  return all.map((r, i) => (i === all.length - 1 && record.rejected ? { ...r, rejected: record.rejected } : r))
}

/** By name: those that are asked at once answer in any order. */
function byAgent(record: CycleRecord): Results['agents'] {
  const groups = Map.groupBy(record.calls, (c) => c.name)
  const ordered = [...groups].toSorted(([a], [b]) => a.localeCompare(b))
  return ordered.map(([, calls]) => {
    const [first, ...rest] = calls.map((call) => agentSummarySchema.parse(call))
    return rest.reduce(
      (sum, c) => ({
        name: sum.name,
        provenance: c.provenance,
        calls: sum.calls + c.calls,
        inputTokens: sum.inputTokens + c.inputTokens,
        outputTokens: sum.outputTokens + c.outputTokens,
        costUsd: sum.costUsd + c.costUsd,
        ms: sum.ms + c.ms,
      }),
      required(first ?? null, 'agent-call'),
    )
  })
}

const approvalsOf = ({ approvals }: CycleRecord): NonNullable<Results['approvals']> =>
  approvals.map((approval) => approvalSummarySchema.parse(approval))

const timingsOf = (record: CycleRecord): Record<string, number> =>
  Object.fromEntries(record.timings.map((t) => [phaseKey(t), t.ms]))

const phaseKey = ({ phase, revision }: { phase: string; revision: number }): string =>
  revision > 0 ? `${phase} r${revision}` : phase

/** Phases as results call them, by the names that services give them. */
const PHASES: Readonly<Record<string, string>> = {
  freeze: 'hypothesis',
  propose: 'improvement',
  judge: 'analysis',
  conclude: 'report',
  fail: 'report',
}

/** What models cost, in US dollars, by phase; nothing for a phase without any, or where no price is known. */
function costsOf(record: CycleRecord): Record<string, number> {
  const costs: Record<string, number> = {}
  for (const { phase, revision = 0, costUsd } of record.calls) {
    if (phase === undefined || costUsd === 0) continue
    const key = phaseKey({ phase: PHASES[phase] ?? phase, revision })
    costs[key] = (costs[key] ?? 0) + costUsd
  }
  return costs
}

function scoreOf(record: CycleRecord): Results['score'] {
  const judged = record.verdicts.filter((v) => v.verdict !== 'inconclusive')
  const before = judged.find((v) => v.revision === 0)?.score ?? null
  const after = judged.length > 0 ? Math.max(...judged.map((v) => v.score)) : null
  return { before, after, formula: SCORE_FORMULA }
}

/** What was left of an attempt that died was found again, which people should know. */
const foundOf = ({ undone }: Pick<CycleRecord, 'undone'>): string[] =>
  undone
    .filter(({ by }) => by === 'found')
    .map(({ what }) => `${what}: left behind by an attempt that was cut short, found and undone.`)

/** That a run was cut short is no secret, although its samples are whole and of one attempt alone. */
const repeatsOf = ({ measurement, runs }: Pick<CycleRecord, 'measurement' | 'runs'>): string[] => [
  ...(measurement?.settled && measurement.attempt
    ? [`The measurement was cut short and gone on with; attempt ${measurement.attempt} measured what was not finished.`]
    : []),
  ...runs.flatMap(({ revision, attempt, resumed }) => [
    ...(attempt ? [`The run of r${revision} was cut short and begun anew; this is attempt ${attempt}.`] : []),
    ...(resumed
      ? [`The run of r${revision} was left alone ${times(resumed)} and gone on with, its timeline kept.`]
      : []),
  ]),
  ...runs.flatMap(shortfallsOf),
]

/** What makes a run another than the scenario alone would say. */
const shortfallsOf = ({ revision, intensity, injections }: CycleRecord['runs'][number]): string[] => [
  ...(intensity && intensity.step > 0
    ? [
        `Nothing showed of the faults as the scenario has them; r${revision} was run with step ${intensity.step} of ${intensity.of - 1} of their ladder.`,
      ]
    : []),
  ...injections.flatMap(({ fault, replaced = [] }) =>
    replaced.map(({ pod, what }) => `In the run of r${revision} fault ${fault} lost its target ${pod}: ${what}.`),
  ),
]

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`)

const clusterOf = (record: CycleRecord): Results['cycle']['cluster'] => ({
  kind: record.options?.cluster === 'embedded' ? 'embedded' : 'kubernetes',
  version: record.cluster?.version ?? null,
  assumptions: assumptionsOf(record),
})

const assumptionsOf = ({ cluster, hypothesis, summary, ...record }: CycleRecord): string[] => [
  ...(summary?.notes ?? []),
  ...(cluster?.assumptions ?? []),
  ...(hypothesis?.assumptions ?? []),
  ...repeatsOf(record),
  ...foundOf(record),
]

function cycleOf(
  cycle: { id: string; finishedAt: string },
  record: CycleRecord,
  conclusion: Conclusion,
): Results['cycle'] {
  return {
    id: cycle.id,
    seed: record.options?.seed ?? 0,
    ...conclusion,
    startedAt: record.startedAt ?? cycle.finishedAt,
    finishedAt: cycle.finishedAt,
    cluster: clusterOf(record),
  }
}

const summaryOf = ({ summary, options }: CycleRecord): Omit<Results['summary'], 'text'> => ({
  application: summary?.application ?? 'unknown',
  manifests: summary?.manifests ?? [],
  instructions: options?.instructions ?? null,
})

const findingsOf = (record: CycleRecord): Results['findings'] =>
  record.findings.map(({ rule, severity, object, path, message }) => ({ rule, severity, object, path, message }))

/** The revision that the outcome rests on: r0 when it held, the last that held when one did, else none. */
export function keptRevision({ verdicts }: CycleRecord, { outcome }: Conclusion): number | null {
  if (outcome === 'resilient') return 0
  if (outcome === 'improved') return verdicts.findLast((v) => v.verdict === 'held')?.revision ?? null
  return null
}

/** What a concluded cycle hands back beside its record. */
export interface Delivered {
  /** The kept revision's changes with their files. */
  readonly landed: readonly Change[]
  /** The cycle in a few sentences; null for one that came to no verdict. */
  readonly text: string | null
}

/** What is written down of a concluded cycle. */
export function assembleResults(
  cycle: { id: string; finishedAt: string },
  record: CycleRecord,
  conclusion: Conclusion,
  { landed, text }: Delivered,
): Results {
  const { hypothesis } = record
  return {
    schema: 'ordeal.results/v1',
    cycle: cycleOf(cycle, record, conclusion),
    summary: { ...summaryOf(record), text },
    findings: findingsOf(record),
    hypothesis: hypothesis && { steadyStates: hypothesis.steadyStates, scenario: hypothesis.scenario },
    runs: runsOf(record),
    diagnosis: record.diagnoses.filter((d, i, all) => all.findIndex((o) => o.revision === d.revision) === i),
    revisions: revisionsOf(record, keptRevision(record, conclusion), landed),
    score: scoreOf(record),
    agents: byAgent(record),
    ...(record.approvals.length > 0 ? { approvals: approvalsOf(record) } : {}),
    timings: { phases: timingsOf(record) },
    cost: { phases: costsOf(record) },
  }
}
