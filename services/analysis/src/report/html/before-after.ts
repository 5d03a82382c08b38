import { goodShare, judgedIds, runFacts, type RunFacts, statementOf, tellingCheck } from '../facts.js'
import { decimal, percent } from '../format.js'
import { html, type Markup, type Printable } from '../markup.js'
import { type ReportInput } from '../report-input.js'
import { meter, table, verdictBadge, type Section } from './parts.js'

/** Every steady state under the same experiment, revision beside revision; nothing to compare before the second run. */
export function renderBeforeAfter(input: ReportInput): Section | null {
  const runs = runFacts(input)
  if (runs.length < 2) return null
  const ids = judgedIds(
    input.results,
    runs.map((run) => run.judged),
  )
  const rows = ids.map((id) => [statementOf(input.results, id), ...runs.map((run) => renderShare(run, id))])
  return {
    id: 'before-after',
    short: 'Before and after',
    title: 'Before and after',
    body: html`<p>The same frozen experiment on every revision: good samples during and after the fault.</p>
      ${table('Good samples by steady state and revision', ['Steady state', ...runs.map(renderHead)], rows)}`,
  }
}

function renderHead({ name, judged, decides, verdict }: RunFacts): Printable {
  const what = judged.revision === 0 ? 'as it was' : decides ? 'delivered' : 'tried'
  const score = verdict && judged.verdict !== 'inconclusive' ? ` · score ${decimal(verdict.score)}` : ''
  return html`${name}, ${what} ${verdictBadge(judged.verdict)}<small>${score.replace(' · ', '')}</small>`
}

function renderShare({ judged }: RunFacts, id: string): Markup {
  const share = goodShare(judged, id)
  if (share === null) return html`<span class="muted">not measured</span>`
  const failed = tellingCheck(judged, id)
  return html`<strong class="${failed ? 'bad-text' : 'good-text'}">${percent(share)}</strong
    >${meter(share, failed ? 'bad' : 'good')}${failed && html`<small>${failed.worst}</small>`}`
}
