import { stepLengthMs, type Scenario } from '@ordeal/shared'
import { type SteadyState } from '../facts.js'
import { count, duration } from '../format.js'
import { html, type Markup, type Printable } from '../markup.js'
import { type ReportInput } from '../report-input.js'
import { faultWords } from '../fault-words.js'
import { probeWords, thresholdWords } from '../words.js'
import { badge, bullets, code, table, type Section } from './parts.js'

/** What was claimed before the fault, with the proof that each check can fail. */
export function renderHypothesis({ results }: ReportInput): Section | null {
  if (!results.hypothesis) return null
  const { scenario, steadyStates } = results.hypothesis
  return {
    id: 'hypothesis',
    short: 'Test',
    title: 'What was tested',
    body: html`<p><strong>${scenario.event}.</strong> ${scenario.reason}</p>
      ${renderSteps(scenario.faults)}
      <p>
        The hypothesis: through all of this, the following stays true. It was frozen before the first run; no threshold
        and no target was touched after that.
      </p>
      ${table('Steady states', ['Steady state', 'Measured by', 'Must hold', 'Without a fault', 'Can it fail?'], steadyStates.map(renderRow))}`,
  }
}

function renderSteps(steps: Scenario['faults']): Markup {
  const words = steps.map(
    (step) => `${step.map(faultWords).join(' and at the same time ')}, ${duration(stepLengthMs(step))}`,
  )
  return words.length === 1
    ? html`<p>Fault: ${words}.</p>`
    : html`<ol class="steps">
        ${words.map((each) => html`<li>${each}</li>`)}
      </ol>`
}

function renderRow(state: SteadyState): Printable[] {
  return [
    html`${state.statement}<small>${state.target}</small>`,
    code(probeWords(state.probe)),
    bullets(thresholdWords(state.threshold)),
    renderBaseline(state),
    renderControl(state),
  ]
}

function renderBaseline({ baseline }: SteadyState): Markup {
  const { samples, failed, latencyMs } = baseline
  const speed = latencyMs && html`<small>p50 ${duration(latencyMs.p50)}, p99 ${duration(latencyMs.p99)}</small>`
  return html`${count(samples - failed)} of ${count(samples)} good${speed}`
}

const renderControl = ({ negativeControl }: SteadyState): Markup =>
  html` ${negativeControl.failed ? badge('good', 'proven') : badge('bad', 'not proven')}<small
      >${negativeControl.how}
      (${negativeControl.method === 'stub' ? 'against a stub' : 'target broken for real'})</small
    >`
