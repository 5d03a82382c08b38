import { type Agent } from '@ordeal/agents'
import { counterpartOf } from '@ordeal/kubernetes'
import { graphSchema, type Graph } from '@ordeal/shared'
import { z } from 'zod'

const input = z.object({ component: z.string(), original: graphSchema, revised: graphSchema })
export type RebindingInput = z.infer<typeof input>

const rebindingSchema = z.object({ workload: z.string().nullable() })
type Output = z.infer<typeof rebindingSchema>

const expert = ({ component, original, revised }: RebindingInput): Output => ({
  workload: counterpartOf(component, original, revised)?.id ?? null,
})

const line = ({ workloads }: Graph): string[] => workloads.map((w) => `${w.id} ${JSON.stringify(w.podLabels)}`)

/** Which workload of a revision stands for a component of the application as given? What labels tell is not asked again. */
export const rebinder: Agent<RebindingInput, Output, Output> = {
  name: 're-binding',
  input,
  answer: rebindingSchema,
  output: rebindingSchema,
  prompt: ({ component, original, revised }) => ({
    stable:
      'An application was changed. Name the workload of the changed one that stands for a component of the original; null if none does.',
    facts: { component, original: line(original), changed: line(revised) },
  }),
  expert,
  combine: (said, floor) => (floor.workload === null ? said : floor),
  problems: ({ workload }, { revised }) =>
    workload === null || revised.workloads.some((w) => w.id === workload)
      ? []
      : [`the changed application has no workload ${workload}`],
  check: () => [],
}
