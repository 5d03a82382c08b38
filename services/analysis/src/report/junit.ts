import { type Check } from '@ordeal/shared'
import { keptRevision, runFacts, type RunFacts, statementOf } from './facts.js'
import { type Markup, xml } from './markup.js'
import { reasonWords } from './reasons.js'
import { type ReportInput } from './report-input.js'
import { OUTCOME_TONE, WINDOW_WORDS } from './words.js'

interface Suite {
  name: string
  time: number
  cases: Case[]
}

interface Case {
  name: string
  time: number
  kind: 'passed' | 'failure' | 'error' | 'skipped'
  message: string
}

/**
 * The cycle for CI servers: a suite for each run, a case for each steady state and window. Only the run that decides the
 * outcome can fail: what an improved cycle's r0 failed is skipped with words that say so, since the delivered manifests
 * pass it. A cycle without a verdict has one more case, which is an error, so that nothing untested looks green.
 */
export function renderJunit(input: ReportInput): string {
  const suites = [...runFacts(input).map((run) => runSuite(input, run)), ...verdictSuite(input)]
  const totals = countsOf(suites.flatMap((suite) => suite.cases))
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="ordeal: ${input.results.summary.application}" ${totals} time="${seconds(suites)}">
${suites.map((suite) => renderSuite(input, suite))}</testsuites>
`.toString()
}

function runSuite(input: ReportInput, run: RunFacts): Suite {
  const { windows, verdict, checks } = run.judged
  const what =
    run.judged.revision === 0 ? 'the application as it was' : run.decides ? 'delivered change' : 'change that was tried'
  const cases = checks.map((check): Case => {
    const { from, to } = windows[check.window]
    const name = `${statementOf(input.results, check.steadyState)} [${check.steadyState}] ${WINDOW_WORDS[check.window]}`
    return { name, time: Math.max(0, to - from) / 1000, ...judge(input, run, check) }
  })
  return {
    name: `${run.name}: ${what}, ${verdict}`,
    time: Math.max(0, windows.post.to - windows.pre.from) / 1000,
    cases,
  }
}

function judge(input: ReportInput, run: RunFacts, check: Check): Pick<Case, 'kind' | 'message'> {
  if (check.outcome === 'passed') return { kind: 'passed', message: '' }
  if (check.outcome === 'not-measured') return { kind: 'skipped', message: 'not measured' }
  const words = `${check.failed} of ${check.samples} samples failed: ${check.worst}`
  return run.decides
    ? { kind: 'failure', message: words }
    : { kind: 'skipped', message: `${words} (${whyNoFailure(input, run)})` }
}

function whyNoFailure({ results }: ReportInput, run: RunFacts): string {
  if (run.judged.revision > 0) return 'a change that was tried and not kept'
  const kept = keptRevision(results)
  return kept ? `before the change; revision r${kept.number} passes the same check` : 'a later attempt decides'
}

/** A case for a cycle that ended without a verdict. */
function verdictSuite({ results }: ReportInput): Suite[] {
  const { outcome, reason, message } = results.cycle
  if (OUTCOME_TONE[outcome] !== 'unknown') return []
  const why = [reasonWords(reason).why, message ?? ''].join(' ').trim()
  return [
    {
      name: 'verdict',
      time: 0,
      cases: [{ name: `the cycle ends with a verdict (${outcome})`, time: 0, kind: 'error', message: why }],
    },
  ]
}

function countsOf(cases: readonly Case[]): Markup {
  const of = (kind: Case['kind']): number => cases.filter((each) => each.kind === kind).length
  return xml`tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}"`
}

const seconds = (suites: readonly Suite[]): string => suites.reduce((sum, { time }) => sum + time, 0).toFixed(3)

const renderSuite = ({ results }: ReportInput, { name, time, cases }: Suite): Markup => {
  const started = results.cycle.startedAt.slice(0, 19)
  const className = `${results.summary.application}.${name.split(':')[0] ?? name}`
  return xml`<testsuite name="${name}" ${countsOf(cases)} time="${time.toFixed(3)}" timestamp="${started}">
${cases.map((each) => renderCase(className, each))}</testsuite>
`
}

const renderCase = (className: string, { name, time, kind, message }: Case): Markup =>
  xml`<testcase classname="${className}" name="${name}" time="${time.toFixed(3)}">${resultOf(kind, message)}</testcase>
`

function resultOf(kind: Case['kind'], message: string): Markup | null {
  switch (kind) {
    case 'passed':
      return null
    case 'failure':
      return xml`<failure type="steady-state" message="${message}">${message}</failure>`
    case 'error':
      return xml`<error type="no-verdict" message="${message}">${message}</error>`
    case 'skipped':
      return xml`<skipped message="${message}"/>`
  }
}
