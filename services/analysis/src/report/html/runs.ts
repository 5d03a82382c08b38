import { type Check, type WindowName } from '@ordeal/shared'
import { judgedIds, runFacts, type RunFacts, statementOf } from '../facts.js'
import { count, decimal, duration, listed, plural } from '../format.js'
import { html, type Markup, type Printable } from '../markup.js'
import { reasonWords } from '../reasons.js'
import { returnsOf } from '../recovery.js'
import { type ReportInput } from '../report-input.js'
import { checkBadge, type Section, table, verdictBadge } from './parts.js'
import { renderTimeline } from './timeline.js'

/** The runs with what was measured in each. The first and the one that decides are open. */
export function renderRuns(input: ReportInput): Section | null {
  const runs = runFacts(input)
  if (runs.length === 0) return null
  return {
    id: 'runs',
    short: 'Measurements',
    title: runs.length === 1 ? 'What was measured' : 'What was measured, run by run',
    body: html`${renderLegend()}${runs.map((run, index) => renderRun(input, run, index === 0 || run.decides))}`,
  }
}

const renderLegend = (): Markup =>
  html`<ul class="legend" aria-label="Legend">
    <li><i class="key pre"></i>before</li>
    <li><i class="key fault"></i>during the fault</li>
    <li><i class="key post"></i>after</li>
    <li><i class="key ok"></i>good samples</li>
    <li><i class="key failed"></i>failed samples</li>
    <li><i class="key line"></i>measured value</li>
    <li><i class="key mark"></i>event of the cluster</li>
  </ul>`

function renderRun(input: ReportInput, run: RunFacts, open: boolean): Markup {
  const { judged } = run
  const ids = judgedIds(input.results, [judged])
  return html`<details class="panel run" ${open && html` open`}>
    <summary>
      <h3>${run.name}: ${subjectOf(run)}</h3>
      ${verdictBadge(judged.verdict)}${renderScore(run)}
    </summary>
    ${judged.verdict === 'inconclusive' && renderProblem(run)}
    ${run.recorded && renderTimeline(input.results, judged, run.recorded)}
    <h4>Checks</h4>
    ${table(
      `Checks of ${run.name}`,
      ['Steady state', 'Before', 'During the fault', 'After', 'Normal again'],
      ids.map((id) => renderChecks(input, run, id)),
    )}
    ${renderInjections(run)} ${renderRecovery(run)}
  </details>`
}

const subjectOf = ({ judged, decides }: RunFacts): string => {
  if (judged.revision === 0) return 'the application as it was'
  return decides ? 'with the change that is delivered' : 'with a change that was tried'
}

const renderScore = ({ judged, verdict }: RunFacts): Markup | null =>
  verdict && judged.verdict !== 'inconclusive'
    ? html`<span class="muted"> score ${decimal(verdict.score)}</span>`
    : null

function renderProblem({ judged, recorded, verdict }: RunFacts): Markup {
  const message = recorded?.problem?.message ?? verdict?.message
  return html`<p class="caveat">${reasonWords(judged.reason).why} ${message}</p>`
}

function renderChecks(input: ReportInput, { judged }: RunFacts, id: string): Printable[] {
  const checks = judged.checks.filter((check) => check.steadyState === id)
  const cells = (['pre', 'fault', 'post'] as const).map((window) => renderCheck(checks, window))
  return [statementOf(input.results, id), ...cells, recoveryWords(checks)]
}

function renderCheck(checks: readonly Check[], window: WindowName): Printable {
  const check = checks.find((each) => each.window === window)
  if (!check) return html`<span class="muted">–</span>`
  if (check.failed === 0)
    return html`${checkBadge(check.outcome)}<small>${plural(check.samples, 'sample')}, none failed</small>`
  return html`${checkBadge(check.outcome)}<small>${count(check.failed)} of ${count(check.samples)} failed</small
    ><small>${check.worst}</small>`
}

function recoveryWords(checks: readonly Check[]): Printable {
  const post = checks.find((check) => check.window === 'post')
  const after = checks.map((check) => check.recoveredAfterMs).find((ms) => ms !== null)
  const neverLost = checks.every((check) => check.failed === 0)
  if (neverLost) return '–'
  if (after !== undefined && after !== null)
    return after === 0 ? 'by the end of the fault' : `${duration(after)} after the fault`
  return post?.outcome === 'failed' ? html`<strong class="bad-text">never</strong>` : '–'
}

function renderInjections({ judged, name }: RunFacts): Markup | null {
  if (judged.injections.length === 0) return null
  const rows = judged.injections.map(({ fault, targets, evidence }): Printable[] => [
    fault,
    html`${listed(targets)}<small>${plural(targets.length, 'target')}</small>`,
    evidence.record ?? html`<strong class="bad-text">none</strong>`,
    evidence.effect ?? html`<strong class="bad-text">none seen</strong>`,
  ])
  return html`<h4>Proof that the fault was real</h4>
    ${table(`Injections of ${name}`, ['Fault', 'Targets', "Injector's record", 'Effect at the target'], rows)}`
}

function renderRecovery({ judged, name }: RunFacts): Markup | null {
  const rows = returnsOf(judged).map(({ what, when, why }): Printable[] => [
    what,
    when ?? html`<strong class="bad-text">did not come back</strong><small>${why}</small>`,
  ])
  if (rows.length === 0) return null
  return html`<h4>What came back</h4>
    ${table(`Recovery of ${name}`, ['What', 'When'], rows)}`
}
