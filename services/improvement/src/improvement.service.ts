import { type Models } from '@ordeal/agents'
import { timed, type ServiceDefinition } from '@ordeal/shared'
import { propose } from './propose/propose.phase.js'

/** Proposes the next revision from a verdict, a diagnosis, and what was tried before. */
export const improvementService = (models: Models): ServiceDefinition<'improvement'> => ({
  name: 'improvement',
  accept: {
    'verdict.reached': ({ data, revision }) => ({ start: [{ phase: 'propose', revision, input: data }] }),
    'approval.given': ({ data: { service, phase }, revision }) =>
      service === 'improvement' ? { resume: { phase, revision } } : {},
    'cycle.cancel-requested': () => ({ close: true }),
  },
  phases: { propose: timed('improvement', propose(models)) },
})
