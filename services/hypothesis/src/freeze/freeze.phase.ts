import {
  artefactId,
  expectationsSchema,
  graphSchema,
  hypothesisSchema,
  measurementRequestSchema,
  measurementSchema,
  required,
  scenarioSchema,
  steadyStateSchema,
  timingSchema,
  type PhaseHandler,
} from '@ordeal/shared'
import { runAgent, type Models } from '@ordeal/agents'
import { z } from 'zod'
import { passedDoors } from '../draft/doors.js'
import { leadingTargets } from '../draft/rank-targets.js'
import { scenarioChooser } from '../draft/scenario.js'
import { faultTuner } from './fault-parameters.agent.js'
import { freezeHypothesis, keepProven, requireFeeling } from './freeze-hypothesis.js'
import { thresholdSetter } from './threshold.agent.js'
import { timelinePlanner } from './timeline.agent.js'

const inputSchema = z.object({ measurement: artefactId })
const thresholdsSchema = z.object({ steadyStates: z.array(steadyStateSchema) })

/** Turns drafts and measurements into the frozen hypothesis. */
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
    requireFeeling(graph, leadingTargets(graph, expectations.failureModel), kept)
    const felt = kept.steadyStates.map(({ id, target, weight }) => ({ id, target, weight }))
    const [{ steadyStates }, chosen] = await Promise.all([
      context.step('threshold', thresholdsSchema, () =>
        runAgent(thresholdSetter, { steadyStates: [...kept.steadyStates] }, context, models),
      ),
      context.step('scenario', scenarioSchema, () =>
        runAgent(scenarioChooser, { graph, expectations, felt }, context, models),
      ),
    ])
    const [scenario, timing] = await Promise.all([
      context.step('fault-parameters', scenarioSchema, () =>
        runAgent(faultTuner, { scenario: chosen, expectations }, context, models),
      ),
      context.step('timeline', timingSchema, () =>
        runAgent(timelinePlanner, { scenario: chosen, steadyStates }, context, models),
      ),
    ])
    const spanned = { ...timing, faultMs: timelinePlanner.expert({ scenario, steadyStates }).faultMs }
    const hypothesis = hypothesisSchema.parse(
      freezeHypothesis({
        ...{ steadyStates, scenario, timing: spanned, expectations, leftOut: kept.leftOut },
        around: [...passedDoors(graph, request.steadyStates), ...kept.around],
      }),
    )
    context.progress({ kind: 'note', message: `hypothesis frozen: ${scenario.event}`, data: { hash: hypothesis.hash } })
    const id = await artefacts.put('hypothesis', hypothesis, { name: 'hypothesis' })
    return [{ type: 'hypothesis.formed', revision: 0, data: { hypothesis: id } }]
  }
