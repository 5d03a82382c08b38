import { type EventData, type EventKey, type Outcome } from '@ordeal/shared'
import { type CycleStatus } from '../api/contract.js'

/** What an event changes in the view of its cycle; what is missing stays. */
export interface CycleChange {
  readonly status: CycleStatus
  readonly outcome?: Outcome
  /** The first problem stays: later ones mostly follow from it. */
  readonly problem?: string
  /** The artefact with the results. */
  readonly resultsId?: string
}

const running = (): CycleChange => ({ status: 'running' })

/**
 * What each event means for its cycle as a user sees it. Pure: the row's own rules (finished is for ever, cancelling
 * ends only with the cycle) are applied where it is written.
 */
export const cycleChanges: { readonly [K in EventKey]: (data: EventData<K>) => CycleChange } = {
  'cycle.requested': () => ({ status: 'queued' }),
  'cycle.preprocessed': running,
  'measurement.requested': running,
  'measurement.finished': running,
  'hypothesis.formed': running,
  'experiment.planned': running,
  'experiment.started': running,
  'experiment.finished': running,
  'verdict.reached': running,
  'revision.proposed': running,
  'improvement.exhausted': running,
  'approval.requested': running,
  'approval.given': running,
  'phase.failed': (data) => ({ status: 'running', problem: data.message }),
  'cycle.cancel-requested': () => ({ status: 'cancelling' }),
  'cycle.concluded': (data) => ({ status: 'running', outcome: data.outcome, resultsId: data.results }),
  'cycle.finished': (data) => ({
    status: 'finished',
    outcome: data.outcome,
    resultsId: data.results,
    problem: data.problem ?? undefined,
  }),
}
