import { sketchAround, type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import {
  checkSchema,
  diagnosisSchema,
  graphSchema,
  injectionSchema,
  standsAlone,
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
  faults: z.array(z.object({ kind: z.string(), action: z.string(), target: targetRule })),
  failed: z.array(checkSchema).min(1),
  injections: z.array(injectionSchema),
})
type DiagnosisInput = z.infer<typeof diagnosisInput>

const diagnosisAnswer = z.object({
  cause: z.string().min(1).max(600),
  /** One of the workloads that were hit. */
  component: z.string(),
  evidence: z.array(z.string().max(300)).max(10),
})
type DiagnosisAnswer = z.infer<typeof diagnosisAnswer>

type Hit = DiagnosisInput['faults'][number]

/** What the fault itself explains, before what the workload lacks. */
function causeByFault(workload: Workload, { kind, target }: Hit): string | null {
  const name = nameOf(workload.id)
  if (kind === 'PodChaos' && target.mode === 'node' && workload.replicas > 1) {
    return `too many pods of ${name} ran on one node, and were lost with it`
  }
  if (kind === 'PodChaos' && target.mode === 'all') return `all pods of ${name} were lost at once`
  if (kind === 'PodChaos') return null
  return `${name} did not get over a time in which its pods could not do their work; whatever restarts or drops a pod then makes it last longer`
}

function causeOf(workload: Workload, fault: Hit | undefined): string {
  const byFault = fault && causeByFault(workload, fault)
  if (byFault) return byFault
  const name = nameOf(workload.id)
  if (workload.stateful && standsAlone(workload)) {
    return `${name} keeps its data in one pod; while that pod is away nothing can stand in for it`
  }
  if (!workload.managed) return `the pod ${name} was lost and nothing brings it back`
  if (standsAlone(workload))
    return `${name} has a single pod; until its replacement is ready nothing answers in its place`
  if (!workload.readiness) {
    return `${name} has no readiness probe, so its new pod got traffic before it could answer`
  }
  return `${name} could not make up for the pods it lost`
}

/**
 * The faulted workload whose loss explains most of what failed: the weakest of those hit, and of those first the ones
 * that failed themselves.
 */
function culprit(graph: Graph, components: readonly string[], failed: readonly string[]): Workload | undefined {
  const all = graph.workloads.filter((w) => components.includes(w.id))
  const own = all.filter((w) => failed.includes(w.id))
  const hit = own.length > 0 ? own : all
  const strength = (w: Workload): number => (w.managed ? 1 : 0) + (standsAlone(w) ? 0 : 2) + (w.readiness ? 1 : 0)
  return hit.toSorted((a, b) => strength(a) - strength(b) || a.id.localeCompare(b.id))[0]
}

function expert({ revision, graph, steadyStates, faults, failed, injections }: DiagnosisInput): Diagnosis {
  const states = new Map(steadyStates.map((s) => [s.id, s]))
  const lost = failed.flatMap((c) => states.get(c.steadyState)?.target ?? [])
  const workload = culprit(
    graph,
    faults.map((f) => f.target.component),
    lost,
  )
  if (!workload) throw new Error('a diagnosis was asked for without a workload that was hit')
  const seen = lost.filter((t) => graph.entryPoints.includes(t))
  const path = pathsToUsers(graph, workload.id).find((p) => seen.includes(p.at(-1) ?? '')) ?? [workload.id]
  return {
    revision,
    cause: causeOf(
      workload,
      faults.find((f) => f.target.component === workload.id),
    ),
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

/** The model's words on the component that it finds to blame; the path and the measured evidence are the rules'. */
function combine(said: DiagnosisAnswer, floor: Diagnosis, input: DiagnosisInput): Diagnosis {
  const { component, path } = expert({
    ...input,
    faults: input.faults.filter((f) => f.target.component === said.component),
  })
  const disagreement = component === floor.component ? {} : { byRules: floor.component }
  const evidence = [...floor.evidence, ...said.evidence]
  return { ...floor, ...disagreement, component, path, cause: said.cause, evidence }
}

function problems({ component }: DiagnosisAnswer, { faults }: DiagnosisInput): string[] {
  const hit = faults.map((f) => f.target.component)
  return hit.includes(component) ? [] : [`${component} was not hit; these were: ${hit.join(', ')}`]
}

/** Why was the hypothesis refuted? */
export const diagnostician: Agent<DiagnosisInput, DiagnosisAnswer, Diagnosis> = {
  name: 'diagnosis',
  input: diagnosisInput,
  answer: diagnosisAnswer,
  output: diagnosisSchema,
  prompt: ({ graph, faults, failed, injections, steadyStates }) => ({
    stable: `A chaos experiment refuted its hypothesis. Name the cause in one or two sentences: which of the workloads that were
hit is to blame, what it lacks, and how its trouble reached the user. "evidence" lists what of the measurements shows it.`,
    facts: {
      application: sketchAround(
        graph,
        faults.map((f) => f.target.component),
      ),
      faults: faults.map((f) => `${f.action} at ${f.target.mode} of ${f.target.component}`),
      injections: injections.map(({ fault, targets, evidence }) => ({ fault, targets, evidence })),
      failed: failed.map(({ steadyState, window, worst }) => `${steadyState} in the ${window} window: ${worst}`),
      steadyStates: steadyStates.map(({ id, target }) => ({ id, target })),
    },
  }),
  expert,
  combine,
  problems,
  check,
}
