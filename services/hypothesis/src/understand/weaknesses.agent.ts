import { sketch, type Agent } from '@ordeal/agents'
import { findingSchema, graphSchema, type Finding } from '@ordeal/shared'
import { z } from 'zod'

const input = z.object({ graph: graphSchema, findings: z.array(findingSchema) })
type Input = z.infer<typeof input>

const answer = z.object({
  weaknesses: z.array(z.object({ object: z.string(), message: z.string().min(1).max(300) })).max(20),
})
type Answer = z.infer<typeof answer>

/** Rule id of what a model finds: its word alone, hence never more than a note. */
const MODEL_RULE = 'ORD-MODEL'

function findingFor({ graph }: Input, { object, message }: Answer['weaknesses'][number]): Finding[] {
  const found = [...graph.workloads, ...graph.services].find((o) => o.id === object)
  return found ? [{ rule: MODEL_RULE, severity: 'note', object, path: '', message, ...found.source }] : []
}

/** Which weaknesses do the manifests show beside those that the rules find? */
export const weaknessFinder: Agent<Input, Answer, Finding[]> = {
  name: 'weaknesses',
  input,
  answer,
  output: z.array(findingSchema),
  parts: 'weaknesses',
  prompt: ({ graph, findings }) => ({
    stable: `Name weaknesses of the architecture that would show under failure and that are not among the findings: one sentence
each, about one workload or service. An empty list is a good answer.`,
    facts: {
      application: sketch(graph),
      findings: findings.map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
    },
  }),
  expert: ({ findings }) => findings,
  combine: ({ weaknesses }, floor, question) => [...floor, ...weaknesses.flatMap((w) => findingFor(question, w))],
  problems: ({ weaknesses }, question) =>
    weaknesses
      .filter((w) => findingFor(question, w).length === 0)
      .map((w) => `there is no workload or service ${w.object}`),
  check: () => [],
}
