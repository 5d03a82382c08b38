import { nameOf } from '@ordeal/kubernetes'
import { type Diagnosis } from '@ordeal/shared'
import { html, type Markup } from '../markup.js'
import { type ReportInput } from '../report-input.js'
import { bullets, type Section } from './parts.js'

/** Why runs were refuted: cause, the way from there to the user, and what shows it. */
export function renderDiagnosis({ results }: ReportInput): Section | null {
  if (results.diagnosis.length === 0) return null
  return { id: 'cause', short: 'Cause', title: 'Why it broke', body: html`${results.diagnosis.map(renderOne)}` }
}

const renderOne = (diagnosis: Diagnosis): Markup =>
  html` <article class="panel">
    <h3>r${diagnosis.revision}: ${diagnosis.cause}</h3>
    ${renderPath(diagnosis)}
    ${
      diagnosis.evidence.length > 0 &&
      html`<h4>What shows it</h4>
        ${bullets(diagnosis.evidence)}`
    }
  </article>`

function renderPath({ component, path }: Diagnosis): Markup {
  const steps = path.length > 0 ? path : [component]
  return html`<ol class="path" aria-label="How the fault reached users">
    <li class="origin"><small>fault</small>⚡</li>
    ${steps.map((step) => html`<li class="${step === component ? 'culprit' : 'step'}"><small>${kindOf(step)}</small>${nameOf(step)}</li>`)}
    <li class="end"><small>sees it</small>user</li>
  </ol>`
}

const kindOf = (object: string): string => object.slice(0, object.indexOf('/'))
