import { type Outcome, type Results } from '@ordeal/shared'
import {
  failedIds,
  judgedIds,
  keptRevision,
  type ResultRun,
  runFacts,
  statementOf,
  tellingCheck,
  reproduceCommand,
} from './facts.js'
import { plural, shorten } from './format.js'
import { reasonWords } from './reasons.js'
import { type ReportInput } from './report-input.js'
import { faultWords } from './fault-words.js'
import { OUTCOME_TONE, type Tone, WINDOW_WORDS } from './words.js'

/** Something for the reader to do, with the command for it where there is one. */
export interface Step {
  text: string
  command: string | null
}

export interface Caveat {
  title: string
  text: string
}

/** A cycle in plain words, for somebody who has never seen the tool: every form of the report begins with it. */
export interface Story {
  tone: Tone
  outcome: Outcome
  headline: string
  happened: string[]
  changed: string[]
  next: Step[]
  /** What the reader must not conclude; null when the verdict is of a real cluster. */
  caveat: Caveat | null
}

const FORECAST: Caveat = {
  title: 'Forecast.',
  text:
    'The embedded cluster, on which this was tested, is a simulation of Kubernetes. ' +
    'Confirm the verdict on a real cluster before you rely on it.',
}
const NEITHER: Caveat = {
  title: 'Neither passed nor failed.',
  text: 'How the application stands the fault is not known yet.',
}

function caveatOf({ cycle }: Results): Caveat | null {
  if (OUTCOME_TONE[cycle.outcome] === 'unknown') return NEITHER
  return cycle.cluster.kind === 'embedded' ? FORECAST : null
}

/** Tells the cycle. */
export function tellStory(input: ReportInput): Story {
  const { results } = input
  const { outcome } = results.cycle
  return {
    tone: OUTCOME_TONE[outcome],
    outcome,
    headline: headline(results),
    happened: happened(input),
    changed: changed(input),
    next: next(input),
    caveat: caveatOf(results),
  }
}

const tried = (results: Results): number => results.revisions.filter((r) => r.number > 0).length

function headline(results: Results): string {
  const event = results.hypothesis ? `“${results.hypothesis.scenario.event.replace(/\.$/, '')}”` : 'the fault'
  const but = tried(results) > 0 ? ', and no change that was tried makes it hold' : ''
  const headlines: Readonly<Record<Outcome, string>> = {
    resilient: `It withstands ${event} as it is`,
    improved: `It broke under ${event}; with the change below it holds`,
    vulnerable: `It breaks under ${event}${but}`,
    inconclusive: withoutVerdict(results),
    cancelled: 'Cancelled before a verdict',
    failed: withoutVerdict(results),
  }
  return headlines[results.cycle.outcome]
}

function withoutVerdict(results: Results): string {
  const { why } = reasonWords(results.cycle.reason)
  return `No verdict: ${why.charAt(0).toLowerCase()}${why.slice(1).replace(/\.$/, '')}`
}

function happened(input: ReportInput): string[] {
  const { results } = input
  const runs = runFacts(input)
  const first = runs[0]
  const deciding = runs.find((run) => run.decides)
  return [
    ...scenario(results, runs.length > 0),
    ...noVerdict(results),
    ...(first && !toldAlready(results, first.judged)
      ? [runStory(results, first.judged, 'The application as it was')]
      : []),
    ...(deciding && deciding !== first
      ? [runStory(results, deciding.judged, `The same test with revision ${deciding.name}`)]
      : []),
  ]
}

function scenario(results: Results, ran: boolean): string[] {
  if (!results.hypothesis) return []
  const { event, faults } = results.hypothesis.scenario
  const steps = faults.map((step) => step.map(faultWords).join(' and ')).join(', then ')
  return [ran ? `Tested: ${event} (${steps}).` : `Planned, but not run: ${event} (${steps}).`]
}

const asSentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')

/** What is known beyond the headline. */
function noVerdict({ cycle }: Results): string[] {
  if (cycle.message) return [asSentence(cycle.message)]
  if (cycle.outcome === 'cancelled') return ['Somebody stopped the cycle.']
  return OUTCOME_TONE[cycle.outcome] === 'unknown' ? [reasonWords(cycle.reason).why] : []
}

/** The headline says already why this run has no verdict. */
const toldAlready = (results: Results, run: ResultRun): boolean =>
  run.verdict === 'inconclusive' && run.reason === results.cycle.reason

function runStory(results: Results, run: ResultRun, subject: string): string {
  const judged = judgedIds(results, [run]).length
  if (run.verdict === 'inconclusive') return `${subject}: no verdict. ${reasonWords(run.reason).why}`
  const failed = failedIds(run)
  if (failed.length === 0)
    return `${subject}: ${judged === 1 ? 'its steady state' : `all ${judged} steady states`} held.`
  const worst = failed.slice(0, 2).map((id) => failureStory(results, run, id))
  const rest = failed.length > 2 ? `; and ${failed.length - 2} more` : ''
  return `${subject}: ${failed.length} of ${plural(judged, 'steady state')} failed: ${worst.join('; ')}${rest}.`
}

function failureStory(results: Results, run: ResultRun, id: string): string {
  const check = tellingCheck(run, id)
  const statement = shorten(statementOf(results, id), 120)
  return check ? `“${statement}” ${WINDOW_WORDS[check.window]} (${check.worst})` : `“${statement}”`
}

function changed({ results, patch }: ReportInput): string[] {
  const kept = keptRevision(results)
  if (kept) return kept.changes.map((change) => change.reason)
  if (tried(results) > 0) {
    const advice = patch ? ' The best of them is given below as advice.' : ''
    return [`Nothing: ${plural(tried(results), 'change')} tried, none made every steady state hold.${advice}`]
  }
  return ['Nothing. Your manifests are as you gave them.']
}

const step = (text: string, command: string | null = null): Step => ({ text, command })

function next(input: ReportInput): Step[] {
  const { outcome, reason, cluster } = input.results.cycle
  const again = reproduceCommand(input)
  const confirm =
    cluster.kind === 'embedded' ? [step('Confirm it on a real cluster:', `${again} --cluster CONTEXT`)] : []
  switch (outcome) {
    case 'resilient':
      return [...confirm, step('Keep the test in your pipeline, so that a later change cannot undo it unnoticed.')]
    case 'improved':
      return [
        step('Review the change and apply it, or take the files in improved/:', 'patch -p1 < changes.patch'),
        ...confirm,
      ]
    case 'vulnerable':
      return [
        step('Read why it broke: the cause names the component that gives way first.'),
        ...(input.patch ? [step('Take the advice in changes.patch as a start; it helps, but not enough.')] : []),
        step('Change the application and test again:', again),
      ]
    case 'cancelled':
      return [step('Start again when you want a verdict:', again)]
    case 'inconclusive':
    case 'failed':
      return [...reasonWords(reason).next.map((text) => step(text)), step('Then run the cycle again:', again)]
  }
}
