import {
  artefactId,
  hypothesisSchema,
  graphSchema,
  measurementRequestSchema,
  measurementSchema,
  required,
  scenarioSchema,
  type PhaseHandler,
} from '@ordeal/shared'
import { runAgent } from '@ordeal/agents'
import { z } from 'zod'
import { scenarioChooser } from '../draft/scenario.js'
import { freezeHypothesis } from './freeze-hypothesis.js'

const inputSchema = z.object({ measurement: artefactId })

/** Turns drafts and measurements into the frozen hypothesis. */
export const freeze: PhaseHandler = async (context, input) => {
  const { artefacts } = context
  const measurement = await artefacts.get(inputSchema.parse(input).measurement, measurementSchema)
  const graph = required(await artefacts.latest('graph', graphSchema), 'graph')
  const request = required(
    await artefacts.latest('measurement-request', measurementRequestSchema),
    'measurement-request',
  )
  const scenario = await context.step('scenario', scenarioSchema, () => runAgent(scenarioChooser, { graph }, context))
  const hypothesis = hypothesisSchema.parse(
    freezeHypothesis({ graph, drafts: request.steadyStates, measurement, scenario }),
  )
  context.progress({ kind: 'note', message: `hypothesis frozen: ${scenario.event}`, data: { hash: hypothesis.hash } })
  const id = await artefacts.put('hypothesis', hypothesis, { name: 'hypothesis' })
  return [{ type: 'hypothesis.formed', revision: 0, data: { hypothesis: id } }]
}
