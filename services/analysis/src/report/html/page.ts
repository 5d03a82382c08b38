import { tellStory } from '../story.js'
import { html, type Markup } from '../markup.js'
import { type ReportInput } from '../report-input.js'
import { renderBeforeAfter } from './before-after.js'
import { renderChanges } from './changes.js'
import { renderDiagnosis } from './diagnosis.js'
import { renderFindings } from './findings.js'
import { renderHero } from './hero.js'
import { renderHypothesis } from './hypothesis.js'
import { type Section } from './parts.js'
import { renderAssumptions, renderProvenance, renderReproduction } from './provenance.js'
import { renderRuns } from './runs.js'
import { STYLES } from './styles.js'

const SECTIONS: readonly ((input: ReportInput) => Section | null)[] = [
  renderBeforeAfter,
  renderRuns,
  renderDiagnosis,
  renderChanges,
  renderHypothesis,
  renderFindings,
  renderAssumptions,
  renderProvenance,
  renderReproduction,
]

/**
 * The report as one HTML file that needs nothing else: no network, no script (the page forbids both to itself), so it
 * may be mailed, archived and opened anywhere.
 */
export function renderHtml(input: ReportInput): string {
  const story = tellStory(input)
  const sections = SECTIONS.flatMap((render) => render(input) ?? [])
  const { application } = input.results.summary
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${application}: ${story.outcome} – Ordeal</title>
        <style>
          ${STYLES}
        </style>
      </head>
      <body>
        <a class="skip" href="#report">Skip to the report</a>
        <header>${renderHero(input, story)}</header>
        <nav aria-label="Sections">
          <ul>
            ${sections.map(({ id, short }) => html`<li><a href="#${id}">${short}</a></li>`)}
          </ul>
        </nav>
        <main id="report">${sections.map(renderSection)}</main>
        <footer>Cycle ${input.results.cycle.id} · made by Ordeal</footer>
      </body>
    </html> `.toString()
}

const renderSection = ({ id, title, body }: Section): Markup =>
  html` <section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${body}
  </section>`
