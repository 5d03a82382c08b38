import { type Change, type Check, type Outcome, type Results } from '@ordeal/shared'
import { type Screen } from '../terminal/terminal.js'
import { count, printable, wrap } from '../terminal/text.js'

const MEANING: Readonly<Record<Outcome, string>> = {
  resilient: 'the application tolerates what was tried; nothing needs to change',
  improved: 'the application did not tolerate it as given; with the changes below it does',
  vulnerable: 'the application does not tolerate it, and no change that was tried mends that',
  inconclusive: 'no verdict',
  cancelled: 'ended before its time',
  failed: 'Ordeal could not finish',
}
const FORECAST =
  'This is a forecast: the cluster was the embedded simulation. Confirm it on a cluster of your own with --cluster CONTEXT.'

type Run = Results['runs'][number]

const coloured = (screen: Screen, outcome: Outcome): string => {
  const style = { resilient: 'green', improved: 'green', vulnerable: 'red', failed: 'red' } as const
  return screen.style('bold', screen.style(style[outcome as keyof typeof style] ?? 'yellow', outcome.toUpperCase()))
}

function headline(results: Results, screen: Screen): string[] {
  const { cycle, score } = results
  const [before, after] = [score.before, score.after].map((n) => (n === null ? null : String(Math.round(n * 10) / 10)))
  const scores = before === null ? '' : after === null || after === before ? before : `${before} → ${after}`
  const first = [coloured(screen, cycle.outcome), scores && `score ${scores}`, printable(results.summary.application)]
  const why = [cycle.reason, cycle.message].filter((part) => part !== null).map(printable)
  return [
    first.filter(Boolean).join('  '),
    why.length ? `${MEANING[cycle.outcome]}: ${why.join(' – ')}` : MEANING[cycle.outcome],
  ]
}

function hits(results: Results): string[] {
  const scenario = results.hypothesis?.scenario
  if (!scenario || !results.runs.length) return []
  const runs = results.runs.map((run) => {
    const targets = [...new Set(run.injections.flatMap((injection) => injection.targets))]
    return `r${run.revision}: ${targets.length ? targets.map(printable).join(', ') : 'nothing was hit'}`
  })
  return [printable(scenario.event), ...runs]
}

const failedCheck = (check: Check): string => {
  const share = check.samples ? ` (${check.failed} of ${count(check.samples, 'sample')} failed)` : ''
  return `✗ ${check.steadyState}, ${check.window} window: ${printable(check.worst)}${share}`
}

function verdictOf(run: Run): string[] {
  const failed = run.checks.filter((check) => check.outcome === 'failed')
  const measured = run.checks.filter((check) => check.outcome !== 'not-measured')
  const reason = run.reason ? ` (${printable(run.reason)})` : ''
  const all = failed.length
    ? `${failed.length} of ${count(measured.length, 'check')} failed`
    : `${count(measured.length, 'check')} passed`
  return [`r${run.revision} ${run.verdict}${reason}: ${all}`, ...failed.map((check) => `  ${failedCheck(check)}`)]
}

const changeLine = (change: Change): string => {
  const where = [change.path, change.file && `in ${change.file}`].filter(Boolean).join(' ')
  return printable(`${change.kind} ${change.object}${where ? ` ${where}` : ''}: ${change.reason}`)
}

function changed(results: Results): string[] {
  const kept = results.revisions.filter((revision) => revision.kept && revision.number > 0).at(-1)
  return kept ? kept.changes.map(changeLine) : []
}

function advice(results: Results): string[] {
  if (results.cycle.outcome !== 'vulnerable') return []
  return results.revisions
    .filter((revision) => revision.number > 0 && !revision.kept)
    .map((revision) => `r${revision.number}, not enough: ${revision.changes.map(changeLine).join('; ')}`)
}

const causes = (results: Results): string[] =>
  results.diagnosis.map((d) =>
    printable(`${d.component}: ${d.cause}${d.path.length > 1 ? ` (${d.path.join(' → ')})` : ''}`),
  )

/** What does not work as it stands; where nothing worked and nothing grave shows, what may be the reason. */
const findings = (results: Results): string[] => {
  const of = (severity: string) => results.findings.filter((finding) => finding.severity === severity)
  const errors = of('error')
  const grave = errors.length === 0 && results.cycle.reason === 'baseline-broken' ? of('warning') : errors
  return grave.map((finding) => printable(`${finding.object} ${finding.path}: ${finding.message}`))
}

/** The end of a run for people: outcome, score, what was hit, which checks failed, what was changed and why. */
export function renderSummary(results: Results, files: readonly string[], screen: Screen): string {
  const width = Math.min(Math.max(screen.columns, 40), 120)
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length ? ['', screen.style('bold', title), ...lines.map((line) => `  ${indented(line, width - 2)}`)] : []
  const [first, meaning] = headline(results, screen) as [string, string]
  return [
    '',
    first,
    wrap(meaning, width),
    ...section('What was hit', hits(results)),
    ...section('Checks', results.runs.flatMap(verdictOf)),
    ...section('Why', causes(results)),
    ...section('What was changed', changed(results)),
    ...section('What was tried', advice(results)),
    ...section('Findings', findings(results)),
    ...section('Results', files),
    ...(results.cycle.cluster.kind === 'embedded' && results.runs.length ? ['', wrap(FORECAST, width)] : []),
    '',
  ].join('\n')
}

function indented(line: string, width: number): string {
  const lead = line.length - line.trimStart().length
  const pad = ' '.repeat(lead)
  return pad + wrap(line, width - lead, `${pad}    `)
}
