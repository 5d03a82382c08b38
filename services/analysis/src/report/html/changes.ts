import { type Change } from '@ordeal/shared'
import { keptRevision, type ResultRevision, runFacts, type RunFacts, statementOf } from '../facts.js'
import { bytes, decimal, plural, shorten } from '../format.js'
import { html, type Markup, type Printable } from '../markup.js'
import { readPatch } from '../patch-lines.js'
import { type ReportInput } from '../report-input.js'
import { renderPatch } from './patch.js'
import { badge, bullets, code, type Section, verdictBadge } from './parts.js'

/** What was changed, with the reason of every change; what was tried and undone; what was not even tried. */
export function renderChanges(input: ReportInput): Section | null {
  const { revisions } = input.results
  const kept = keptRevision(input.results)
  const tried = revisions.filter((r) => r.number > 0 && r !== kept)
  const rejected = revisions.flatMap((r) => r.rejected)
  if (!kept && tried.length + rejected.length === 0 && !input.patch) return null
  return {
    id: 'changes',
    short: 'Changes',
    title: 'What was changed, and why',
    body: html`${renderDelivered(input, kept)}
    ${
      tried.length > 0 &&
      html`<h3>Tried and undone</h3>
        ${tried.map((revision) => renderTried(input, revision))}`
    }
    ${
      rejected.length > 0 &&
      html`<h3>Considered and rejected</h3>
        ${bullets(rejected.map(renderRejected))}`
    }`,
  }
}

function renderDelivered(input: ReportInput, kept: ResultRevision | null): Markup {
  const changes = kept?.changes ?? adviceOf(input)
  const intro = kept
    ? html`<p>Revision r${kept.number} held under the same experiment. ${costWords(kept)}</p>`
    : html`<p>
        Nothing is delivered as a cure, because no revision made every steady state
        hold.${input.patch && ' The diff below is advice: it helps, but not enough.'}
      </p>`
  if (!input.patch) return html`${intro}${bullets(changes.map((change) => renderChange(input, change)))}`
  const files = readPatch(input.patch)
  if (!files)
    return html`${intro}
      <pre class="raw">${shorten(input.patch, 200_000)}</pre>
      ${bullets(changes.map((c) => renderChange(input, c)))}`
  const elsewhere = changes.filter((change) => !files.some((file) => touches(change, file.path)))
  return html`${intro}${files.map(
    (file) =>
      html` <div class="beside">
        ${renderPatch(file)}
        <div class="why">
          ${changes.filter((change) => touches(change, file.path)).map((change) => html`<div class="reason">${renderChange(input, change)}</div>`)}
        </div>
      </div>`,
  )}
  ${elsewhere.length > 0 && bullets(elsewhere.map((change) => renderChange(input, change)))}`
}

/** Changes that an undelivered patch belongs to: those of the last revision that was tried. */
const adviceOf = ({ results, patch }: ReportInput): readonly Change[] =>
  patch ? (results.revisions.filter((r) => r.number > 0).at(-1)?.changes ?? []) : []

const touches = (change: Change, path: string): boolean =>
  change.file !== null && (change.file === path || path.endsWith(`/${change.file}`) || change.file.endsWith(`/${path}`))

const KIND_WORDS: Readonly<Record<Change['kind'], string>> = {
  edit: 'edit',
  create: 'new',
  delete: 'delete',
  replace: 'replace',
}

const renderChange = ({ results }: ReportInput, change: Change): Markup =>
  html` <p class="what">
      ${badge('plain', KIND_WORDS[change.kind])} ${code(change.object)}${change.path && [' ', code(change.path)]}
    </p>
    ${change.kind === 'edit' && html`<p class="values">${change.before === undefined || change.before === null ? 'not set' : html`<del>${valueWords(change.before)}</del>`} → <ins>${valueWords(change.after)}</ins></p>`}
    <p>${change.reason}</p>
    ${change.fixes.length > 0 && html`<p class="muted">For: ${change.fixes.map((id) => statementOf(results, id)).join('; ')}</p>`}`

function valueWords(value: unknown): string {
  if (value === undefined || value === null) return 'not set'
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), 160)
}

/** What a revision costs beyond the user's own manifests. */
function costWords({ cost }: ResultRevision): string {
  const parts = [
    cost.replicas !== 0 && `${signed(cost.replicas)} ${Math.abs(cost.replicas) === 1 ? 'pod' : 'pods'}`,
    cost.cpu !== 0 && `${signed(cost.cpu)} CPU requested`,
    cost.memory !== 0 && `${cost.memory > 0 ? '+' : '−'}${bytes(Math.abs(cost.memory))} memory requested`,
  ].filter((part) => part !== false)
  return parts.length > 0 ? `It costs ${parts.join(', ')}.` : 'It costs no further resources.'
}

const signed = (n: number): string => `${n > 0 ? '+' : '−'}${decimal(Math.abs(n))}`

function renderTried(input: ReportInput, revision: ResultRevision): Markup {
  const run = runFacts(input).findLast(({ judged }) => judged.revision === revision.number)
  return html`<article class="panel">
    <h4>
      r${revision.number}: ${plural(revision.changes.length, 'change')} ${run && verdictBadge(run.judged.verdict)}
    </h4>
    ${bullets(revision.changes.map((change) => html`${code(change.object)} ${change.reason}`))}
    ${run && html`<p class="muted">${whyUndone(input, run)}</p>`}
  </article>`
}

function whyUndone({ results }: ReportInput, { verdict }: RunFacts): Printable {
  const comparison = verdict?.comparison
  if (!comparison) return 'Not kept.'
  if (comparison.regressions.length > 0) {
    return `Undone: it broke what held before: ${comparison.regressions.map((id) => statementOf(results, id)).join('; ')}.`
  }
  return comparison.better ? 'Better than before, but not all steady states hold.' : 'Undone: no better than before.'
}

const renderRejected = ({ idea, why }: ResultRevision['rejected'][number]): Markup =>
  html`<strong>${idea}</strong>: ${why}`
