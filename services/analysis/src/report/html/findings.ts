import { type Finding } from '@ordeal/shared'
import { html, type Printable } from '../markup.js'
import { bySeverity } from '../facts.js'
import { plural } from '../format.js'
import { type ReportInput } from '../report-input.js'
import { badge, code, table, type Section } from './parts.js'

/** More than this is in findings.sarif only. */
const SHOWN = 500
const TONE = { error: 'bad', warning: 'unknown', note: 'plain' } as const

/** Weaknesses that the manifests show without any test, the gravest first. */
export function renderFindings({ findings }: ReportInput): Section | null {
  if (findings.length === 0) return null
  const sorted = bySeverity(findings)
  const left = findings.length - SHOWN
  return {
    id: 'findings',
    short: 'Findings',
    title: 'Findings in the manifests',
    body: html`<p>
        ${plural(findings.length, 'weakness', 'weaknesses')} that can be read from the manifests alone; whether they
        matter is what the test shows.
      </p>
      ${table('Findings', ['Finding', 'Object', 'Where'], sorted.slice(0, SHOWN).map(renderRow))}
      ${left > 0 && html`<p class="muted">${plural(left, 'more finding')} in findings.sarif.</p>`}`,
  }
}

const renderRow = (finding: Finding): Printable[] => [
  html`${badge(TONE[finding.severity], finding.severity)} ${finding.message}<small>${code(finding.rule)}</small>`,
  html`${finding.object}${finding.path && html`<small>${code(finding.path)}</small>`}`,
  code(`${finding.file}:${finding.line}`),
]
