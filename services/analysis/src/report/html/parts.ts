import { type Check } from '@ordeal/shared'
import { html, type Markup, type Printable } from '../markup.js'
import { CHECK_WORDS, type Tone, VERDICT_WORDS } from '../words.js'

/** A part of the page. */
export interface Section {
  id: string
  /** Its name in the navigation. */
  short: string
  title: string
  body: Markup
}

const CHECK_ICON: Readonly<Record<Check['outcome'], string>> = { passed: '✓', failed: '✗', 'not-measured': '–' }
const CHECK_TONE: Readonly<Record<Check['outcome'], Tone>> = {
  passed: 'good',
  failed: 'bad',
  'not-measured': 'unknown',
}
const VERDICT_TONE = { held: 'good', refuted: 'bad', inconclusive: 'unknown' } as const

/** A word on a coloured ground; the word alone says it too. */
export const badge = (tone: Tone | 'plain', text: Printable): Markup => html`<span class="badge ${tone}">${text}</span>`

export const checkBadge = (outcome: Check['outcome']): Markup =>
  badge(CHECK_TONE[outcome], [html`<span aria-hidden="true">${CHECK_ICON[outcome]}</span> `, CHECK_WORDS[outcome]])

export const verdictBadge = (verdict: keyof typeof VERDICT_TONE): Markup =>
  badge(VERDICT_TONE[verdict], VERDICT_WORDS[verdict])

/** A table that scrolls by itself where the page is narrow. */
export const table = (label: string, head: readonly Printable[], rows: readonly (readonly Printable[])[]): Markup =>
  html` <section class="scroll" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map(renderCell)}
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`

const renderCell = (cell: Printable, index: number): Markup =>
  index === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`

export const bullets = (items: readonly Printable[]): Markup =>
  html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`

/** Pairs of a term and what it is. */
export const facts = (pairs: readonly (readonly [string, Printable])[]): Markup =>
  html` <dl class="facts">
    ${pairs.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

export const code = (text: Printable): Markup => html`<code>${text}</code>`

/** A share of 0–1 as a bar. */
export const meter = (share: number, tone: Tone): Markup =>
  html` <svg class="meter ${tone}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" width="100" height="6" />
    <rect class="part" width="${(share * 100).toFixed(1)}" height="6" />
  </svg>`
