import { sketch, type Agent } from '@ordeal/agents'
import { faultProblems, nameOf } from '@ordeal/kubernetes'
import {
  expectationsSchema,
  graphSchema,
  scenarioSchema,
  steadyStateDraft,
  type Fault,
  type FailureModel,
  type Scenario,
  type Workload,
} from '@ordeal/shared'
import { z } from 'zod'
import { feels } from './feels.js'
import { hittable } from './may-be-hit.js'
import { leadingRisks } from './rank-targets.js'

const scenarioInput = z.object({
  graph: graphSchema,
  expectations: expectationsSchema,
  /** What the steady states that are to be kept look at: a fault that none can feel proves nothing. */
  felt: z.array(steadyStateDraft.pick({ id: true, target: true, weight: true })),
})
type ScenarioInput = z.infer<typeof scenarioInput>

/** Each further step makes every run longer by a fault window. */
const MAX_FURTHER_STEPS = 2
const scenarioAnswer = z.object({
  event: z.string().min(1).max(200),
  reason: z.string().min(1).max(600),
  /** What fails next, after what the rules chose has passed. */
  thenAlso: z.array(z.object({ workloads: z.array(z.string()).min(1).max(5) })).max(MAX_FURTHER_STEPS),
})
type ScenarioAnswer = z.infer<typeof scenarioAnswer>

function targetOf({ id, selector }: Workload, { pods }: FailureModel): Fault['target'] {
  const base = { component: id, selector }
  return typeof pods === 'number' ? { ...base, mode: 'fixed', count: pods } : { ...base, mode: pods, count: null }
}

/** What the failure model does to one workload. */
function faultAt(workload: Workload, model: FailureModel, id: string): Fault {
  const base = { id, target: targetOf(workload, model), durationMs: model.durationMs }
  switch (model.event) {
    case 'loss':
      return { ...base, kind: 'PodChaos', action: 'pod-kill', parameters: {} }
    case 'slowness':
      return { ...base, kind: 'NetworkChaos', action: 'delay', parameters: { latencyMs: model.latencyMs } }
    case 'isolation':
      return { ...base, kind: 'NetworkChaos', action: 'partition', parameters: {} }
    case 'pressure':
      // The ladder: more workers than most nodes have processors, where fewer do not show.
      return {
        ...base,
        kind: 'StressChaos',
        action: 'cpu',
        parameters: { cpu: { workers: 2 } },
        stronger: [{ cpu: { workers: 8 } }, { cpu: { workers: 32 } }],
      }
  }
}

const HAPPENS: Readonly<Record<FailureModel['event'], (model: FailureModel) => string>> = {
  loss: ({ pods }) => (pods === 'one' ? 'is lost' : 'are lost'),
  slowness: ({ pods, latencyMs }) => `${pods === 'one' ? 'answers' : 'answer'} ${latencyMs / 1000} s late`,
  isolation: ({ pods }) => `${pods === 'one' ? 'is' : 'are'} cut off`,
  pressure: ({ pods }) => `${pods === 'one' ? 'is' : 'are'} pressed for CPU`,
}

function eventIn(targets: readonly Workload[], model: FailureModel): string {
  const { pods } = model
  const WHICH = { one: 'one pod', all: 'all pods', node: 'all pods on one node' }
  const which = typeof pods === 'number' ? `${pods} pods` : WHICH[pods]
  const each = targets.length > 1 ? 'each of ' : ''
  return `${which} of ${each}${targets.map((w) => w.id).join(' and ')} ${HAPPENS[model.event](model)}${targets.length > 1 ? ' at once' : ''}`
}

const stepAt = (targets: readonly Workload[], model: FailureModel, first: number): Fault[] =>
  targets.map((workload, i) => faultAt(workload, model, `f${first + i}`))

function expert({ graph, expectations }: ScenarioInput): Scenario {
  const { failureModel } = expectations
  const risks = leadingRisks(graph, failureModel)
  if (risks.length === 0) throw new Error('a scenario was asked for without a workload that can be hit')
  const targets = risks.map((risk) => risk.workload)
  const reasons = risks.map(({ workload, reason }) => `${nameOf(workload.id)}: ${reason}`)
  const event = eventIn(targets, failureModel)
  const only = risks.length === 1 ? risks[0] : undefined
  const what = only
    ? `what happens to ${only.workload.id} tells most: ${only.reason}`
    : `this tells most (${reasons.join('; ')})`
  return { event, reason: `Of all such failures, ${what}`, faults: [stepAt(targets, failureModel, 1)] }
}

const isFelt = ({ graph, felt }: ScenarioInput, workload: string): boolean =>
  felt.some((state) => feels(graph, state, workload))

/** The rules' step first; then the model's, by the same failure model, where they hit something new. */
function combine(said: ScenarioAnswer, floor: Scenario, input: ScenarioInput): Scenario {
  const { graph, expectations } = input
  const { failureModel } = expectations
  const hit = new Set(floor.faults.flat().map((f) => f.target.component))
  const steps = [...floor.faults]
  for (const { workloads } of said.thenAlso) {
    const targets = graph.workloads.filter((w) => workloads.includes(w.id))
    if (targets.every((w) => hit.has(w.id))) continue
    targets.forEach((w) => hit.add(w.id))
    steps.push(stepAt(targets, failureModel, steps.flat().length + 1))
  }
  const further = steps
    .slice(floor.faults.length)
    .flat()
    .map((f) => f.target.component)
  const event = further.length > 0 ? `${floor.event}; then ${further.join(', then ')}` : floor.event
  return { event, reason: `${floor.reason} ${said.reason}`, faults: steps }
}

function stepProblems(workloads: readonly string[], input: ScenarioInput): string[] {
  const { failureModel } = input.expectations
  const allowed = hittable(input.graph, failureModel).map((w) => w.id)
  return [
    ...workloads
      .filter((id) => !allowed.includes(id))
      .map((id) => `${id} is no workload that may be hit; these may: ${allowed.join(', ')}`),
    ...workloads
      .filter((id) => allowed.includes(id) && !isFelt(input, id))
      .map((id) => `no steady state would feel what happens to ${id}`),
    ...(workloads.length === failureModel.together
      ? []
      : [`a step hits ${failureModel.together} workloads at once, not ${workloads.length}`]),
  ]
}

function check(scenario: Scenario, { graph, expectations }: ScenarioInput): string[] {
  const allowed = new Set(hittable(graph, expectations.failureModel).map((w) => w.id))
  return [
    ...scenario.faults
      .flat()
      .filter((f) => !allowed.has(f.target.component))
      .map((f) => `fault ${f.id}: ${f.target.component} is no workload that may and can be hit`),
    ...faultProblems(scenario),
  ]
}

/** Which event would tell most about the application's resilience? */
export const scenarioChooser: Agent<ScenarioInput, ScenarioAnswer, Scenario> = {
  name: 'fault-scenario',
  input: scenarioInput,
  answer: scenarioAnswer,
  output: scenarioSchema,
  parts: 'thenAlso',
  prompt: (input) => ({
    stable: `Judge the event that a chaos experiment injects, and say in "reason" what it would tell about the application. It
will happen in any case. "thenAlso" may add up to ${MAX_FURTHER_STEPS} further steps in sequence, each with the workloads that the same
failure then hits at once: only where they would tell something new. Leave it empty otherwise.`,
    facts: {
      application: sketch(input.graph),
      failureModel: input.expectations.failureModel,
      chosen: expert(input).event,
      steadyStates: input.felt,
    },
  }),
  expert,
  combine,
  problems: ({ thenAlso }, input) => thenAlso.flatMap(({ workloads }) => stepProblems(workloads, input)),
  check,
}
