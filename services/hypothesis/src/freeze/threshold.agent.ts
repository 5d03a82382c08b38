import { type Agent } from '@ordeal/agents'
import { expectationsSchema, steadyStateSchema, thresholdSchema, type SteadyState } from '@ordeal/shared'
import { z } from 'zod'
import { MEASURING } from '../draft/failure-model.js'
import { stricter } from '../draft/thresholds.js'

const input = z.object({ steadyStates: z.array(steadyStateSchema), expectations: expectationsSchema })
type Input = z.infer<typeof input>

const answer = z.object({
  thresholds: z.array(
    z.object({
      steadyState: z.string(),
      /** Null to leave the bound on latency as it is. */
      maxLatencyMs: z.number().positive().nullable(),
      minShare: thresholdSchema.shape.fault.shape.minShare.max(0.99),
      maxOutageMs: z.number().min(1000).max(600_000),
    }),
  ),
})
type Answer = z.infer<typeof answer>

const output = z.object({ steadyStates: z.array(steadyStateSchema) })
type Output = z.infer<typeof output>

/** No model may ask for less than so many times the slowest answers of the baseline: the checks would fail by chance. */
const leastBoundMs = ({ baseline }: SteadyState): number =>
  Math.max(200, MEASURING.latencyFactor * (baseline.latencyMs?.p99 ?? 0))

function problems({ thresholds }: Answer, { steadyStates }: Input): string[] {
  return thresholds.flatMap((wanted) => {
    const state = steadyStates.find((s) => s.id === wanted.steadyState)
    if (!state) return [`there is no steady state ${wanted.steadyState}`]
    const least = leastBoundMs(state)
    const tooStrict = wanted.maxLatencyMs !== null && wanted.maxLatencyMs < least
    return tooStrict
      ? [
          `${state.id}: answers took up to ${state.baseline.latencyMs?.p99 ?? 0} ms without a fault, so ask for no less than ${least} ms`,
        ]
      : []
  })
}

/** How good is good enough, now that the baseline is known? Thresholds only get tighter. */
export const thresholdSetter: Agent<Input, Answer, Output> = {
  name: 'threshold',
  input,
  answer,
  output,
  parts: 'thresholds',
  prompt: ({ steadyStates }) => ({
    stable: `Baselines were measured without a fault. Say for which steady states a stricter threshold is right: the least
share of good samples and the longest outage (ms) while the fault lasts, and the slowest answer that still counts as good
(null to keep it). Looser values than those given have no effect. Leave out what is right as it is.`,
    facts: {
      steadyStates: steadyStates.map(({ id, statement, threshold, baseline }) => ({
        id,
        statement,
        threshold,
        baseline,
      })),
    },
  }),
  expert: ({ steadyStates }) => ({ steadyStates }),
  combine: ({ thresholds }, floor, { expectations }) => ({
    steadyStates: floor.steadyStates.map((state) => {
      const wanted = thresholds.find((t) => t.steadyState === state.id)
      return wanted ? { ...state, threshold: stricter(state.threshold, wanted, expectations) } : state
    }),
  }),
  problems,
  check: () => [],
}
