import { type Accepted, type Envelope, type EventKey, type ServiceDefinition } from '@ordeal/shared'
import { projectEvent } from './db/project-event.sql.js'
import { cycleChanges } from './project-events/fold-event.js'

/** Accepting an event of any kind: it is folded into the view of its cycle within the inbox transaction. */
const project =
  <K extends EventKey>(key: K) =>
  (message: Envelope<K>): Accepted => ({
    write: (tx) => projectEvent(tx, message, cycleChanges[key](message.data)),
  })

/** Takes cycles in over HTTP, and keeps for their users what becomes of them. It works on no phase. */
export const gatewayService: ServiceDefinition<'gateway'> = {
  name: 'gateway',
  accept: {
    'cycle.requested': project('cycle.requested'),
    'cycle.preprocessed': project('cycle.preprocessed'),
    'measurement.requested': project('measurement.requested'),
    'measurement.finished': project('measurement.finished'),
    'hypothesis.formed': project('hypothesis.formed'),
    'experiment.planned': project('experiment.planned'),
    'experiment.started': project('experiment.started'),
    'experiment.finished': project('experiment.finished'),
    'verdict.reached': project('verdict.reached'),
    'revision.proposed': project('revision.proposed'),
    'improvement.exhausted': project('improvement.exhausted'),
    'cycle.concluded': project('cycle.concluded'),
    'cycle.finished': project('cycle.finished'),
    'cycle.cancel-requested': project('cycle.cancel-requested'),
    'approval.requested': project('approval.requested'),
    'approval.given': project('approval.given'),
    'phase.failed': project('phase.failed'),
  },
  phases: {},
}
