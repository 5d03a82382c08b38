import { type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import {
  checkSchema,
  diagnosisSchema,
  graphSchema,
  injectionSchema,
  steadyStateSchema,
  targetRule,
  type Diagnosis,
  type Graph,
  type Workload,
} from '@ordeal/shared'
import { z } from 'zod'
import { pathsToUsers } from './paths.js'

const diagnosisInput = z.object({
  revision: z.number().int(),
  graph: graphSchema,
  steadyStates: z.array(steadyStateSchema.pick({ id: true, target: true, weight: true })),
  targets: z.array(targetRule),
  failed: z.array(checkSchema).min(1),
  injections: z.array(injectionSchema),
})
type DiagnosisInput = z.infer<typeof diagnosisInput>

function causeOf(workload: Workload): string {
  const name = nameOf(workload.id)
  if (workload.stateful && workload.replicas <= 1) {
    return `${name} keeps its data in one pod; while that pod is away nothing can stand in for it`
  }
  if (!workload.managed) return `the pod ${name} was lost and nothing brings it back`
  if (workload.replicas <= 1)
    return `${name} has a single pod; until its replacement is ready nothing answers in its place`
  if (!workload.readiness) {
    return `${name} has no readiness probe, so its new pod got traffic before it could answer`
  }
  return `${name} could not make up for the pods it lost`
}

/** The faulted workload whose loss explains most of what failed: the weakest of those hit. */
function culprit(graph: Graph, components: readonly string[]): Workload | undefined {
  const hit = graph.workloads.filter((w) => components.includes(w.id))
  const strength = (w: Workload): number => (w.managed ? 1 : 0) + (w.replicas > 1 ? 2 : 0) + (w.readiness ? 1 : 0)
  return hit.toSorted((a, b) => strength(a) - strength(b) || a.id.localeCompare(b.id))[0]
}

function expert({ revision, graph, steadyStates, targets, failed, injections }: DiagnosisInput): Diagnosis {
  const workload = culprit(
    graph,
    targets.map((t) => t.component),
  )
  if (!workload) throw new Error('a diagnosis was asked for without a workload that was hit')
  const states = new Map(steadyStates.map((s) => [s.id, s]))
  const seen = failed
    .map((c) => states.get(c.steadyState)?.target)
    .filter((t) => t !== undefined && graph.entryPoints.includes(t))
  const path = pathsToUsers(graph, workload.id).find((p) => seen.includes(p.at(-1))) ?? [workload.id]
  return {
    revision,
    cause: causeOf(workload),
    component: workload.id,
    path,
    evidence: [
      ...injections.flatMap((i) => (i.evidence.effect ? [`fault ${i.fault}: ${i.evidence.effect}`] : [])),
      ...failed.map((c) => `${c.steadyState} in the ${c.window} window: ${c.worst}`),
    ],
  }
}

function check(diagnosis: Diagnosis, { graph }: DiagnosisInput): string[] {
  const known = new Set([...graph.workloads, ...graph.services].map((o) => o.id))
  return [diagnosis.component, ...diagnosis.path]
    .filter((id) => !known.has(id))
    .map((id) => `no object ${id} in the application`)
}

/** Why was the hypothesis refuted? */
export const diagnostician: Agent<DiagnosisInput, Diagnosis> = {
  name: 'diagnosis',
  input: diagnosisInput,
  output: diagnosisSchema,
  prompt: (input) => ({
    stable:
      'Name the cause of a failed chaos experiment: the component, why its loss was felt, and the path to the user.',
    question: JSON.stringify(input),
  }),
  expert,
  check,
}
