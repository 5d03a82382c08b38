import { artefactId, timed, type ServiceDefinition } from '@ordeal/shared'
import { cleanUp } from './clean-up/clean-up.phase.js'
import { measure } from './measure/measure.phase.js'
import { run } from './run/run.phase.js'
import { type ExperimentSettings } from './settings.js'

/** The only service that writes to a cluster: deploys, measures, injects, undoes and cleans up. */
export const experimentService = (settings: ExperimentSettings): ServiceDefinition<'experiment'> => ({
  name: 'experiment',
  accept: {
    'measurement.requested': ({ data }) => ({ start: [{ phase: 'measure', revision: 0, input: data }] }),
    'hypothesis.formed': ({ data }) => ({
      start: [{ phase: 'run', revision: 0, input: { hypothesis: artefactId.parse(data.hypothesis) } }],
    }),
    'revision.proposed': ({ data, revision }) => ({
      start: [{ phase: 'run', revision, input: { hypothesis: artefactId.parse(data.hypothesis) } }],
    }),
    'cycle.concluded': ({ data, revision }) => ({
      close: true,
      start: [{ phase: 'clean-up', revision, input: data, final: true }],
    }),
    'cycle.cancel-requested': () => ({ close: true }),
  },
  phases: {
    measure: timed('measure', measure(settings)),
    run: timed('run', run(settings)),
    'clean-up': timed('clean-up', cleanUp(settings)),
  },
})
