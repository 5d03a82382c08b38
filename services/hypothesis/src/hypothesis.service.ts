import { type Models } from '@ordeal/agents'
import { artefactId, timed, type ServiceDefinition } from '@ordeal/shared'
import { freeze } from './freeze/freeze.phase.js'
import { preprocess } from './preprocess/preprocess.phase.js'

/** Works out how the application should behave, and what would tell most about its resilience. */
export const hypothesisService = (models: Models): ServiceDefinition<'hypothesis'> => ({
  name: 'hypothesis',
  accept: {
    'cycle.requested': ({ data }) => ({
      start: [{ phase: 'preprocess', revision: 0, input: { options: data.options } }],
    }),
    'measurement.finished': ({ data }) => ({
      start: [{ phase: 'freeze', revision: 0, input: { measurement: artefactId.parse(data.measurement) } }],
    }),
    'approval.given': ({ data: { service, phase }, revision }) =>
      service === 'hypothesis' ? { resume: { phase, revision } } : {},
    'cycle.cancel-requested': () => ({ close: true }),
  },
  phases: { preprocess: timed('preprocess', preprocess(models)), freeze: timed('hypothesis', freeze(models)) },
})
