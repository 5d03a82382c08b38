import { sketch, type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import { graphSchema, type Graph } from '@ordeal/shared'
import { z } from 'zod'

const input = z.object({ graph: graphSchema })
type Input = z.infer<typeof input>

const answer = z.object({
  description: z.string().min(1).max(600),
  roles: z.array(z.object({ object: z.string(), role: z.string().min(1).max(200) })),
})
/** What the application is, in words, and what each of its workloads is for. */
export const manifestSummarySchema = answer
export type ManifestSummary = z.infer<typeof manifestSummarySchema>

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

function roleOf(graph: Graph, workload: Graph['workloads'][number]): string {
  const behind = graph.services.filter((s) => s.workloads.includes(workload.id))
  const calls = graph.edges.filter((e) => e.from === workload.id).map((e) => nameOf(e.to))
  const parts = [
    behind.some((s) => graph.entryPoints.includes(s.id))
      ? 'answers users'
      : behind.length > 0
        ? 'answers other components'
        : 'answers nobody',
    workload.stateful ? 'keeps data' : null,
    calls.length > 0 ? `calls ${[...new Set(calls)].join(', ')}` : null,
  ]
  return parts.filter(Boolean).join('; ')
}

function expert({ graph }: Input): ManifestSummary {
  const entries = graph.entryPoints.map(nameOf).join(', ') || 'nothing'
  return {
    description: `${graph.application}: ${count(graph.workloads.length, 'workload')} behind ${count(graph.services.length, 'service')}; users meet ${entries} first.`,
    roles: graph.workloads.map((workload) => ({ object: workload.id, role: roleOf(graph, workload) })),
  }
}

/** What is this application? */
export const manifestSummarizer: Agent<Input, ManifestSummary, ManifestSummary> = {
  name: 'manifest-summary',
  input,
  answer,
  output: manifestSummarySchema,
  parts: 'roles',
  prompt: ({ graph }) => ({
    stable:
      'Say in two or three plain sentences what this application does, and in a few words what each workload is for.',
    facts: { application: sketch(graph) },
  }),
  expert,
  // Whatever the model leaves out, the rules know in their way.
  combine: ({ description, roles }, floor) => ({
    description,
    roles: floor.roles.map((known) => roles.find((r) => r.object === known.object) ?? known),
  }),
  problems: ({ roles }, { graph }) =>
    roles.filter((r) => !graph.workloads.some((w) => w.id === r.object)).map((r) => `there is no workload ${r.object}`),
  check: () => [],
}
