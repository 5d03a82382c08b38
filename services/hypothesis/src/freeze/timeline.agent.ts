import { type Agent } from '@ordeal/agents'
import {
  scenarioSchema,
  steadyStateDraft,
  stepLengthMs,
  timingSchema,
  type Hypothesis,
  type Scenario,
} from '@ordeal/shared'
import { z } from 'zod'
import { MEASURING } from '../draft/failure-model.js'

const input = z.object({
  scenario: scenarioSchema,
  steadyStates: z.array(steadyStateDraft.pick({ id: true, statement: true })),
})
type Input = z.infer<typeof input>
type Timing = Hypothesis['timing']

const answer = z.object({ preMs: z.number().min(0).max(60_000), postMs: z.number().min(0).max(120_000) })
type Answer = z.infer<typeof answer>

/** Steps of a scenario follow each other; the fault window spans them all. */
const faultMsOf = (scenario: Scenario): number => scenario.faults.reduce((sum, step) => sum + stepLengthMs(step), 0)

/** How long does one have to look before and after the faults? Never shorter than the rules say. */
export const timelinePlanner: Agent<Input, Answer, Timing> = {
  name: 'timeline',
  input,
  answer,
  output: timingSchema,
  prompt: ({ scenario, steadyStates }) => ({
    stable: `Say how long (ms) to measure before the faults ("preMs") and after them ("postMs"), so that normal behaviour and a
slow recovery both show. Shorter times than ${MEASURING.timing.preMs} and ${MEASURING.timing.postMs} have no effect.`,
    facts: {
      event: scenario.event,
      faults: scenario.faults.map((step) => step.map((f) => `${f.action} ${f.target.component}`)),
      steadyStates,
    },
  }),
  expert: ({ scenario }) => ({ ...MEASURING.timing, faultMs: faultMsOf(scenario) }),
  combine: (said, floor) => ({
    ...floor,
    preMs: Math.max(floor.preMs, said.preMs),
    postMs: Math.max(floor.postMs, said.postMs),
  }),
  problems: () => [],
  check: () => [],
}
