import { type Injection, type Results, type Run, type Sample } from '@ordeal/shared'
import { columnsOf, type Failure, failuresOf, lensOf, type Span } from '../density.js'
import { failedIds, judgedIds, type ResultRun, statementOf, type SteadyState, steadyStates } from '../facts.js'
import { axisTime, count, duration, listed, offset, plural } from '../format.js'
import { html, type Markup, type Printable } from '../markup.js'
import { faultWords } from '../fault-words.js'
import { extentWords, ground, lane, marks, type Scale, scaleOf } from './lane.js'

/** Observations listed below a timeline; all are in the run's artefact. */
const LISTED = 40

interface View {
  results: Results
  judged: ResultRun
  run: Run
  scale: Scale
}

/** A run on one time axis: windows as bands, faults as bars, a lane for each steady state, marks for what was seen. */
export function renderTimeline(results: Results, judged: ResultRun, run: Run): Markup {
  const view = { results, judged, run, scale: scaleOf(run.windows) }
  const ids = [...new Set([...judgedIds(results, [judged]), ...Object.keys(run.samples)])]
  const seen = run.observations.length > 0
  return html`<figure class="timeline" aria-label="Timeline of revision r${run.revision}">
      ${row('head', null, renderBands(view.scale))}
      ${run.injections.map((injection) => renderInjection(view, injection))}
      ${ids.map((id) => renderLane(view, id, run.samples[id] ?? []))} ${seen && renderObservations(view)}
      ${row('axis', null, renderAxis(view.scale))}
    </figure>
    ${seen && renderObservationList(view)}`
}

const row = (kind: string, label: Printable, chart: Printable): Markup =>
  html` <div class="row ${kind}">
    <div class="label">${label}</div>
    <div class="chart">${chart}</div>
  </div>`

function renderBands({ windows, x }: Scale): Markup {
  const bands = [
    ['pre', windows.pre, 'before'],
    ['fault', windows.fault, 'fault'],
    ['post', windows.post, 'after'],
  ] as const
  return html`${bands.map(
    ([name, span, words]) =>
      html`<span class="band ${name}" style="left:${place(x(span.from))};width:${place(x(span.to) - x(span.from))}"
        >${words}<small>${duration(span.to - span.from)}</small></span
      >`,
  )}`
}

/** A share of the axis as a CSS length. */
const place = (share: number): string => `${(share * 100).toFixed(2)}%`

function renderInjection({ results, run, scale }: View, injection: Injection): Markup {
  const fault = results.hypothesis?.scenario.faults.flat().find(({ id }) => id === injection.fault)
  const from = injection.injectedAt ?? run.windows.fault.from
  const to = injection.recoveredAt ?? run.windows.fault.to
  const proven =
    injection.injectedAt !== null && injection.evidence.record !== null && injection.evidence.effect !== null
  const words = fault ? faultWords(fault) : injection.fault
  const span = `${offset(from - scale.zero)} to ${offset(to - scale.zero)}`
  return row(
    'fault-row',
    html`<strong>${words}</strong
      ><small>${injection.injectedAt === null ? 'not injected' : listed(injection.targets, 3)}</small>`,
    html`${ground(scale, 26)}<span
        class="bar${proven ? null : ' unproven'}"
        style="left:${place(scale.x(from))};width:${place(Math.max(0, scale.x(to) - scale.x(from)))}"
        title="${words}: ${span}"
        ><span class="spoken">${span}</span></span
      >`,
  )
}

function renderLane({ results, judged, scale }: View, id: string, samples: readonly Sample[]): Markup {
  const state = steadyStates(results).find((each) => each.id === id)
  const lens = lensOf(state)
  const span: Span = { from: scale.windows.pre.from, to: scale.windows.post.to }
  const failures = failuresOf(samples, span, lens)
  const total = samples.filter(({ at }) => at >= span.from && at <= span.to).length
  const columns = columnsOf(samples, span, lens)
  const words = laneWords(total, failures, scale)
  const extent = extentWords(columns, state?.probe.kind === 'k8s' ? 'ready' : 'ms')
  const statement = statementOf(results, id)
  return row(
    'lane-row',
    html`<strong>${statement}</strong
      ><small class="${failedIds(judged).includes(id) && 'bad-text'}">${words}</small>
      ${extent && html`<small>${extent}</small>`}`,
    lane({
      columns,
      scale,
      limit: limitOf(state),
      spoken: `${statement}: ${words}`,
    }),
  )
}

/** What is asked of the value that the line shows; null when nothing is. */
function limitOf(state: SteadyState | undefined): number | null {
  if (!state) return null
  return state.probe.kind === 'k8s' ? state.probe.minReady : state.threshold.maxLatencyMs
}

function laneWords(total: number, failures: readonly Failure[], scale: Scale): string {
  if (total === 0) return 'no samples'
  const failed = failures.reduce((sum, failure) => sum + failure.samples, 0)
  if (failed === 0) return `all ${count(total)} samples good`
  return `${count(failed)} of ${count(total)} failed${whenWords(failures, scale)}`
}

/** When it failed: each time, or of many the longest. */
function whenWords(failures: readonly Failure[], { zero, windows }: Scale): string {
  const words = ({ from, to }: Failure): string =>
    `${offset(from - zero)} to ${to === null ? 'the end' : offset(to - zero)}`
  if (failures.length <= 2) return `: ${failures.map(words).join(', ')}`
  const lengthOf = ({ from, to }: Failure): number => (to ?? windows.post.to) - from
  const longest = failures.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a))
  return `, at ${count(failures.length)} times; the longest ${words(longest)}`
}

function renderObservations({ run, scale }: View): Markup {
  return row(
    'marks-row',
    html`<strong>Seen in the cluster</strong><small>${plural(run.observations.length, 'event')}</small>`,
    marks(
      run.observations.map(({ at }) => at),
      scale,
    ),
  )
}

const renderObservationList = ({ run, scale: { zero } }: View): Markup =>
  html` <details class="events">
    <summary>${plural(run.observations.length, 'event')} of the cluster</summary>
    <ol>
      ${run.observations.slice(0, LISTED).map(({ at, object, what }) => html`<li><time>${offset(at - zero)}</time> <code>${object}</code> ${what}</li>`)}
    </ol>
    ${run.observations.length > LISTED && html`<p class="muted">${plural(run.observations.length - LISTED, 'more event')} in the run's artefact.</p>`}
  </details>`

/** Every second tick may be left out where there is little room; the one at zero stays. */
const renderAxis = ({ ticks, x, zero }: Scale): Markup =>
  html`${ticks.map((at, i) => renderTick(axisTime(at - zero), x(at), (i - ticks.indexOf(zero)) % 2 !== 0))}`

const renderTick = (words: string, x: number, minor: boolean): Markup =>
  html`<span class="tick${minor && ' minor'}" style="left:${place(x)}">${words}</span>`
