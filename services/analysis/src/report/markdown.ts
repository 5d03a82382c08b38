import { type Finding } from '@ordeal/shared'
import { APPROVAL_HEAD, approvalRows } from './approval-words.js'
import {
  bySeverity,
  goodShare,
  judgedIds,
  keptRevision,
  reproduceCommand,
  runFacts,
  type RunFacts,
  statementOf,
  summaryBy,
  tellingCheck,
} from './facts.js'
import { decimal, listed, percent, plural } from './format.js'
import { block, cellCode, code, list, table, text } from './markdown-text.js'
import { returnsOf } from './recovery.js'
import { type ReportInput } from './report-input.js'
import { tellStory } from './story.js'
import { type Tone, VERDICT_WORDS } from './words.js'

const SIGN: Readonly<Record<Tone, string>> = { good: '✅', bad: '❌', unknown: '⚠️' }
const VERDICT_SIGN = { held: '✅', refuted: '❌', inconclusive: '⚠️' } as const

/** A comment on a pull request holds 65,536 characters; with this much of each, the rest has room. */
const PATCH_LIMIT = 30_000
const ROWS = 40

/** The report for a pull request: what a reviewer needs, with the long parts folded. */
export function renderMarkdown(input: ReportInput): string {
  const story = tellStory(input)
  const { results } = input
  const parts = [
    `## ${SIGN[story.tone]} ${text(results.summary.application)}: ${story.outcome}`,
    `**${text(story.headline)}.**${scoreWords(input)}`,
    story.caveat && `> **${text(story.caveat.title)}** ${text(story.caveat.text)}`,
    summary(input),
    section('What happened', list(story.happened.map(text))),
    section('What was changed', list(story.changed.map(text))),
    section(
      'What to do',
      list(
        story.next.map((step) =>
          step.command === null ? text(step.text) : `${text(step.text)} ${code(step.command)}`,
        ),
      ),
    ),
    checks(input),
    cause(input),
    evidence(input),
    recovery(input),
    patch(input),
    approvals(input),
    findings(input.findings),
    assumptions(input),
    `<sub>Repeat it: ${code(reproduceCommand(input))} · cycle ${code(results.cycle.id)} · report.html has the timelines.</sub>`,
  ]
  return `${parts.filter((part) => part !== null && part !== '').join('\n\n')}\n`
}

/** The cycle in an agent's words; whose they are is said. */
function summary({ results }: ReportInput): string | null {
  const words = results.summary.text
  if (!words) return null
  return `${text(words)} <sub>(${summaryBy(results)})</sub>`
}

const section = (title: string, body: string): string => `### ${title}\n\n${body}`

const folded = (title: string, body: string): string => `<details><summary>${title}</summary>\n\n${body}\n\n</details>`

function scoreWords({ results }: ReportInput): string {
  const { before, after } = results.score
  if (before === null) return ''
  return after !== null && keptRevision(results)
    ? ` Score ${decimal(before)} → ${decimal(after)} of 100.`
    : ` Score ${decimal(before)} of 100.`
}

function checks(input: ReportInput): string | null {
  const runs = runFacts(input)
  if (runs.length === 0) return null
  const ids = judgedIds(
    input.results,
    runs.map((run) => run.judged),
  )
  const head = [
    'Steady state',
    ...runs.map(({ name, judged }) => `${name} ${VERDICT_SIGN[judged.verdict]} ${VERDICT_WORDS[judged.verdict]}`),
  ]
  const rows = ids
    .slice(0, ROWS)
    .map((id) => [text(statementOf(input.results, id)), ...runs.map((run) => cell(run, id))])
  return section('Good samples during and after the fault', table(head, rows) + more(ids.length, 'steady state'))
}

const more = (all: number, noun: string): string =>
  all > ROWS ? `\n\n${plural(all - ROWS, `more ${noun}`)} in report.html.` : ''

function cell({ judged }: RunFacts, id: string): string {
  const share = goodShare(judged, id)
  if (share === null) return 'not measured'
  const failed = tellingCheck(judged, id)
  return failed ? `❌ ${text(percent(share))} – ${text(failed.worst)}` : `✅ ${text(percent(share))}`
}

function cause({ results }: ReportInput): string | null {
  if (results.diagnosis.length === 0) return null
  const lines = results.diagnosis.map(({ revision, cause: why, path }) => {
    const way = path.length > 0 ? ` (${path.map(code).join(' → ')} → user)` : ''
    return `r${revision}: ${text(why)}${way}`
  })
  return section('Why it broke', list(lines))
}

function evidence(input: ReportInput): string | null {
  const rows = runFacts(input).flatMap(({ name, judged }) =>
    judged.injections.map(({ fault, targets, evidence: { record, effect } }) => [
      name,
      text(fault),
      text(listed(targets, 3)),
      text(record ?? 'none'),
      text(effect ?? 'none seen'),
    ]),
  )
  if (rows.length === 0) return null
  const head = ['Run', 'Fault', 'Targets', "Injector's record", 'Effect at the target']
  return folded('Proof that the fault was real', table(head, rows.slice(0, ROWS)) + more(rows.length, 'injection'))
}

function recovery(input: ReportInput): string | null {
  const rows = runFacts(input).flatMap(({ name, judged }) =>
    returnsOf(judged).map(({ what, when, why }) => [
      name,
      text(what),
      text(when ?? `did not come back${why ? `: ${why}` : ''}`),
    ]),
  )
  if (rows.length === 0) return null
  return folded('What came back', table(['Run', 'What', 'When'], rows.slice(0, ROWS)) + more(rows.length, 'row'))
}

function patch({ patch: diff }: ReportInput): string | null {
  if (!diff) return null
  if (diff.length <= PATCH_LIMIT) return folded('The change', block('diff', diff))
  const shown = diff.slice(0, diff.lastIndexOf('\n', PATCH_LIMIT))
  return folded('The change (its beginning; all of it is in changes.patch)', block('diff', shown))
}

function findings(all: readonly Finding[]): string | null {
  if (all.length === 0) return null
  const rows = bySeverity(all)
    .slice(0, ROWS)
    .map(({ severity, message, object, rule, file, line }) => [
      severity,
      `${text(message)} (${cellCode(rule)})`,
      cellCode(object),
      cellCode(`${file}:${line}`),
    ])
  const head = ['Severity', 'Finding', 'Object', 'Where']
  return folded(plural(all.length, 'finding') + ' in the manifests', table(head, rows) + more(all.length, 'finding'))
}

function approvals({ results }: ReportInput): string | null {
  const rows = approvalRows(results).map((row) => row.map(text))
  return rows.length > 0 ? folded('What people decided', table(APPROVAL_HEAD, rows)) : null
}

function assumptions(input: ReportInput): string | null {
  const all = [...new Set([...input.assumptions, ...input.results.cycle.cluster.assumptions])]
  return all.length > 0 ? folded('What was assumed', list(all.map(text))) : null
}
