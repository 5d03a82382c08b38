import { writeSync } from 'node:fs'
import { z } from 'zod'
import { artefactId } from '../ids.js'
import { runMain } from '../service/run-main.js'
import { specService } from './spec-services.js'

const STDOUT = 1

/** A process with a service of one phase, for specs that kill it. It says on stdout what a step did, as outside effects. */
const service = specService(
  'experiment',
  { 'measurement.requested': () => ({ start: [{ phase: 'measure', revision: 0, input: {} }] }) },
  {
    measure: async (context) => {
      for (const step of ['deploy', 'sample']) {
        await context.step(step, z.void(), () => {
          // Synchronous: what was done before a kill must be seen.
          writeSync(STDOUT, `${step}\n`)
          return Promise.resolve()
        })
      }
      const measurement = artefactId.parse(await context.artefacts.put('measurement', { ok: true }))
      return [{ type: 'measurement.finished', revision: 0, data: { measurement } }]
    },
  },
)

await runMain('experiment', () => ({ definition: service }))
