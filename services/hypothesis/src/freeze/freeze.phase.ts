import {
  artefactId,
  expectationsSchema,
  graphSchema,
  hypothesisSchema,
  measurementRequestSchema,
  measurementSchema,
  required,
  type PhaseHandler,
} from '@ordeal/shared'
import { approved, type Models } from '@ordeal/agents'
import { z } from 'zod'
import { passedDoors } from '../draft/doors.js'
import { formHypothesis } from './form-hypothesis.js'
import { freezeHypothesis, keepProven } from './freeze-hypothesis.js'
import { hypothesisSubject } from './hypothesis.subject.js'

const inputSchema = z.object({ measurement: artefactId })

/** Turns drafts and measurements into the frozen hypothesis, which people may have to approve before it is. */
export const freeze =
  (models: Models): PhaseHandler =>
  async (context, input) => {
    const { artefacts } = context
    const measurement = await artefacts.get(inputSchema.parse(input).measurement, measurementSchema)
    const graph = required(await artefacts.latest('graph', graphSchema), 'graph')
    const expectations = required(await artefacts.latest('expectations', expectationsSchema), 'expectations')
    const request = required(
      await artefacts.latest('measurement-request', measurementRequestSchema),
      'measurement-request',
    )
    const kept = keepProven(request.steadyStates, measurement)
    const around = [...passedDoors(graph, request.steadyStates), ...kept.around]
    const grounds = { graph, expectations, kept, around }
    const place = { context, models }
    const formed = await formHypothesis(grounds, place)
    const { value } = await approved(formed, hypothesisSubject(grounds, formed, place), context)
    const hypothesis = hypothesisSchema.parse(freezeHypothesis(value))
    const data = { hash: hypothesis.hash }
    context.progress({ kind: 'note', message: `hypothesis frozen: ${hypothesis.scenario.event}`, data })
    const id = await artefacts.put('hypothesis', hypothesis, { name: 'hypothesis' })
    return [{ type: 'hypothesis.formed', revision: 0, data: { hypothesis: id } }]
  }
