import { type Agent } from '@ordeal/agents'
import { expectationsSchema, scenarioSchema, type Fault, type Scenario } from '@ordeal/shared'
import { z } from 'zod'

const input = z.object({ scenario: scenarioSchema, expectations: expectationsSchema })
type Input = z.infer<typeof input>

/** A model may make a fault last up to so many times what the failure model says. */
const LONGEST = 2
const answer = z.object({
  faults: z.array(z.object({ fault: z.string(), durationMs: z.number().min(1000).max(1_200_000) })),
})
type Answer = z.infer<typeof answer>

const longer = (fault: Fault, wanted: number | undefined): Fault =>
  wanted === undefined ? fault : { ...fault, durationMs: Math.max(fault.durationMs, wanted) }

function problems({ faults }: Answer, { scenario, expectations }: Input): string[] {
  const known = scenario.faults.flat().map((f) => f.id)
  const most = LONGEST * expectations.failureModel.durationMs
  return faults.flatMap(({ fault, durationMs }) => [
    ...(known.includes(fault) ? [] : [`there is no fault ${fault}`]),
    ...(durationMs > most ? [`fault ${fault}: no longer than ${most} ms`] : []),
  ])
}

/** With which parameters is each fault injected? Never weaker than the failure model says. */
export const faultTuner: Agent<Input, Answer, Scenario> = {
  name: 'fault-parameters',
  input,
  answer,
  output: scenarioSchema,
  parts: 'faults',
  prompt: ({ scenario, expectations }) => ({
    stable: `Say which faults must last longer (ms) than planned to show what they can do: where a replacement takes long to be
ready, or a fault acts slowly. Shorter times than planned have no effect. Leave out what is right as it is.`,
    facts: {
      failureModel: expectations.failureModel,
      faults: scenario.faults.map((step) =>
        step.map(({ id, action, target, durationMs, parameters }) => ({
          id,
          action,
          at: target.component,
          durationMs,
          parameters,
        })),
      ),
    },
  }),
  expert: ({ scenario }) => scenario,
  combine: ({ faults }, floor) => ({
    ...floor,
    faults: floor.faults.map((step) => step.map((f) => longer(f, faults.find((w) => w.fault === f.id)?.durationMs))),
  }),
  problems,
  check: () => [],
}
