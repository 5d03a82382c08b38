import { windowName } from '@ordeal/shared'
import { z } from 'zod'

/** Milliseconds from the start of the pre window. */
const offset = z.number().nonnegative()
const stretch = z.object({ from: offset, to: offset })

/** One thing that is done to the cluster, at its time. */
const actionSchema = z.object({
  at: offset,
  do: z.enum(['inject', 'remove']),
  fault: z.string(),
  /** Name of the fault's Chaos object. */
  name: z.string(),
})
export type PlannedAction = z.infer<typeof actionSchema>

/** The exact timeline of a run, compiled from the frozen hypothesis: artefact `plan`. */
export const planSchema = z.object({
  revision: z.number().int().nonnegative(),
  hypothesisHash: z.string(),
  windows: z.object({ pre: stretch, fault: stretch, post: stretch }),
  /** In the order in which they are done: by time; at the same time removals first, then as the scenario lists them. */
  actions: z.array(actionSchema),
  /** Which steady states are judged in which window. */
  checks: z.array(z.object({ steadyState: z.string(), window: windowName })),
})
export type Plan = z.infer<typeof planSchema>
