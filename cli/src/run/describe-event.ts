import { type CycleEvent, progressDataSchema, type ProgressData } from '@ordeal/gateway/contract'
import { type EventKey } from '@ordeal/shared'
import { printable } from '../terminal/text.js'

/** A line of progress. `step` lines matter only until the next one: a live screen writes over them. */
export interface ProgressLine {
  readonly mark: 'done' | 'bad' | 'fault' | 'detail' | 'step'
  readonly text: string
  /** What goes on from here, where that is known. */
  readonly next?: string
}

type Describe = (event: CycleEvent) => ProgressLine | null

const done = (text: string, next?: string): ProgressLine => ({ mark: 'done', text, next })
const step = (text: string): ProgressLine => ({ mark: 'step', text })
const bad = (text: string, next?: string): ProgressLine => ({ mark: 'bad', text, next })
const field = (event: CycleEvent, name: string): string => {
  const value = event.data[name]
  return typeof value === 'string' ? printable(value) : ''
}

const DECIDED: Readonly<Record<string, string>> = {
  approve: 'approved',
  revise: 'to be revised',
  replace: 'replaced',
  reject: 'rejected',
}

function describeDecision(event: CycleEvent): ProgressLine {
  const decision = field(event, 'decision')
  const text = `${field(event, 'what')}: ${DECIDED[decision] ?? decision} by ${field(event, 'by') || 'default, nobody answered in time'}`
  return decision === 'reject' ? bad(text, 'going on') : done(text, 'going on')
}

const EVENTS: Readonly<Record<EventKey, Describe>> = {
  'cycle.requested': () => step('reading the manifests'),
  'cycle.preprocessed': () => done('Manifests read', 'deploying the application'),
  // The next three come with, or behind, notes that say more.
  'measurement.requested': () => null,
  'experiment.planned': () => null,
  'experiment.started': () => null,
  'measurement.finished': () => done('Measurement finished'),
  'hypothesis.formed': () => done('Hypothesis frozen', 'running the experiment on r0'),
  'experiment.finished': (event) => done(`Experiment run on r${event.revision}`),
  'verdict.reached': (event) => bad(`r${event.revision} refuted`, 'looking for an improvement'),
  'revision.proposed': (event) =>
    done(`r${event.revision} proposed`, `running the same experiment on r${event.revision}`),
  'improvement.exhausted': (event) => bad(`No further improvement: ${field(event, 'reason')}`),
  'cycle.concluded': () => step('cleaning up'),
  'cycle.finished': (event) =>
    event.data.problem ? bad(`Clean-up: ${field(event, 'problem')}`) : done('Cleaned up, verified'),
  'cycle.cancel-requested': () => step('cancelling'),
  'approval.requested': (event) =>
    done(
      `Proposal: ${field(event, 'what')}`,
      `waiting for approval of the ${field(event, 'what')} until ${field(event, 'expiresAt')}`,
    ),
  'approval.given': describeDecision,
  'phase.failed': (event) => bad(`${field(event, 'phase')} failed: ${field(event, 'message')}`),
}

const MARKS: Readonly<Record<ProgressData['kind'], ProgressLine['mark']>> = {
  phase: 'step',
  step: 'step',
  fault: 'fault',
  check: 'detail',
  note: 'detail',
}

function describeNote(event: CycleEvent): ProgressLine | null {
  const note = progressDataSchema.safeParse(event.data)
  return note.success ? { mark: MARKS[note.data.kind], text: printable(note.data.message) } : null
}

/** What an event means to somebody who watches; null when it means nothing to them. */
export function describeEvent(event: CycleEvent): ProgressLine | null {
  return event.type === 'progress' ? describeNote(event) : EVENTS[event.type](event)
}
