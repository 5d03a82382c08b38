import { keptRevision, summaryBy } from '../facts.js'
import { decimal, duration, moment } from '../format.js'
import { html, type Markup, type Printable } from '../markup.js'
import { type ReportInput } from '../report-input.js'
import { type Step, type Story } from '../story.js'
import { badge, bullets, facts } from './parts.js'

/** What a reader sees first: the outcome, what happened, what was changed and what to do. */
export function renderHero(input: ReportInput, story: Story): Markup {
  const { summary } = input.results
  return html`<div class="hero ${story.tone}">
    <p class="brand">Ordeal <span>resilience report</span></p>
    <div class="top">
      <div class="lead">
        <p class="outcome">${badge(story.tone, story.outcome)}</p>
        <h1>${summary.application}</h1>
        <p class="headline">${story.headline}.</p>
      </div>
      ${renderScore(input)}
    </div>
    ${renderSummary(input)}
    ${story.caveat && html`<p class="caveat" role="note"><strong>${story.caveat.title}</strong> ${story.caveat.text}</p>`}
    <div class="cards">
      ${renderCard('What happened', story.happened)} ${renderCard('What was changed', story.changed)}
      ${renderCard('What to do', story.next.map(renderStep))}
    </div>
    ${renderKeyFacts(input)}
  </div>`
}

/** The cycle in an agent's words; whose they are is said. */
const renderSummary = ({ results }: ReportInput): Markup | null =>
  results.summary.text ? html`<p class="words">${results.summary.text} ${badge('plain', summaryBy(results))}</p>` : null

const renderCard = (title: string, lines: readonly Printable[]): Markup =>
  html` <section class="card">
    <h2>${title}</h2>
    ${lines.length === 1 ? html`<p>${lines[0]}</p>` : bullets(lines)}
  </section>`

const renderStep = ({ text, command }: Step): Markup => html`${text}${command !== null && renderCommand(command)}`

/** A command that is broken between its words only. */
const renderCommand = (command: string): Markup =>
  html`<kbd>${command.split(' ').map((word) => html`<span>${word}</span> `)}</kbd>`

function renderScore({ results }: ReportInput): Markup | null {
  const { before, after, formula } = results.score
  if (before === null) return null
  const delivered = keptRevision(results) === null ? null : after
  if (delivered === null) {
    const best = after !== null && after > before && ` Best change that was tried: ${decimal(after)}.`
    return scoreOf(null, before, [`Score.${best || ''} `, formula])
  }
  return scoreOf(before, delivered, ['Score before → after. ', formula])
}

function scoreOf(was: number | null, is: number, formula: Printable): Markup {
  const spoken =
    was === null ? `Score ${decimal(is)} of 100` : `Score ${decimal(was)} before, ${decimal(is)} after, of 100`
  const before = was !== null && html`<span class="was">${decimal(was)}</span><span class="arrow">→</span>`
  return html`<div class="score">
    <p class="numbers" role="img" aria-label="${spoken}">
      ${before}<span class="is">${decimal(is)}</span><span class="of">/ 100</span>
    </p>
    <p class="formula">${formula}</p>
  </div>`
}

function renderKeyFacts({ results }: ReportInput): Markup {
  const { cycle, summary } = results
  const took = Date.parse(cycle.finishedAt) - Date.parse(cycle.startedAt)
  const version = cycle.cluster.version ? ` ${cycle.cluster.version}` : ''
  return facts([
    ['Tested on', `${cycle.cluster.kind === 'embedded' ? 'embedded cluster (simulated)' : 'Kubernetes'}${version}`],
    ['When', `${moment(cycle.startedAt)}, took ${duration(took)}`],
    ['Seed', cycle.seed],
    ...(summary.instructions ? [['Instructions', summary.instructions] as const] : []),
  ])
}
