import { type Agent } from '@ordeal/agents'
import { faultProblems } from '@ordeal/kubernetes'
import {
  graphSchema,
  InputError,
  scenarioSchema,
  type Fault,
  type Graph,
  type Scenario,
  type Workload,
} from '@ordeal/shared'
import { z } from 'zod'
import { DEFAULTS } from './failure-model.js'
import { reachOf } from './reach.js'

const scenarioInput = z.object({ graph: graphSchema })
type ScenarioInput = z.infer<typeof scenarioInput>

/** How likely the loss of one pod is to be felt, 0–1, and the reason in words. */
interface Risk {
  readonly workload: Workload
  readonly likelihood: number
  readonly reason: string
}

function weaknessOf(workload: Workload): Omit<Risk, 'workload'> {
  if (!workload.managed) return { likelihood: 1, reason: 'nothing brings its pod back' }
  if (workload.replicas <= 1) return { likelihood: 0.8, reason: 'it has a single pod' }
  if (!workload.readiness) return { likelihood: 0.6, reason: 'a new pod gets traffic before it is known to be ready' }
  return { likelihood: 0.2, reason: 'no weakness shows in its manifest' }
}

/** A fault needs pods, and labels to select them by. */
const canBeHit = (workload: Workload): boolean => workload.replicas > 0 && Object.keys(workload.selector).length > 0

/** Throws InputError when no workload of the application can be hit, which says what each of them lacks. */
export function requireTarget(graph: Graph): void {
  if (graph.workloads.some(canBeHit)) return
  const lacks = graph.workloads.map((w) => `${w.id} ${w.replicas > 0 ? 'carries no labels' : 'has 0 replicas'}`)
  throw new InputError(
    `no fault can be aimed at the application: ${lacks.join(', ')}`,
    null,
    'Give the pods of a workload labels, and at least one replica',
  )
}

/** Workloads that can be hit, the most telling first: likely to be felt, on a user's path, near the user, by name. */
export function rankTargets(graph: Graph): Risk[] {
  const reach = reachOf(graph)
  const weight = (r: Risk): number => r.likelihood * (reach.has(r.workload.id) ? 1 : 0.5)
  const distance = (r: Risk): number => reach.get(r.workload.id) ?? Number.MAX_SAFE_INTEGER
  return graph.workloads
    .filter(canBeHit)
    .map((workload) => ({ workload, ...weaknessOf(workload) }))
    .toSorted(
      (a, b) => weight(b) - weight(a) || distance(a) - distance(b) || a.workload.id.localeCompare(b.workload.id),
    )
}

function expert({ graph }: ScenarioInput): Scenario {
  const [target] = rankTargets(graph)
  if (!target) throw new Error('a scenario was asked for without a workload that can be hit')
  const { workload, reason } = target
  return {
    event: `one pod of ${workload.id} is lost`,
    reason: `Of all single-pod failures the loss of a pod of ${workload.id} tells most: ${reason}`,
    faults: [
      [
        {
          id: 'f1',
          kind: 'PodChaos',
          action: 'pod-kill',
          target: { component: workload.id, selector: workload.selector, mode: 'one', count: null },
          parameters: {},
          durationMs: DEFAULTS.timing.faultMs,
        },
      ],
    ],
  }
}

function check(scenario: Scenario, { graph }: ScenarioInput): string[] {
  const known = new Map(graph.workloads.map((w) => [w.id, w]))
  const faults = scenario.faults.flat()
  const components = faults.flatMap((f) => [f.target.component, ...peersOf(f)].map((component) => ({ f, component })))
  return [
    ...components
      .filter(({ component }) => !known.has(component))
      .map(({ f, component }) => `fault ${f.id}: no workload ${component} in the application`),
    ...faults
      .filter((f) => (known.get(f.target.component)?.replicas ?? 1) === 0)
      .map((f) => `fault ${f.id}: ${f.target.component} has no pods`),
    ...faultProblems(scenario),
  ]
}

const peersOf = (fault: Fault): string[] =>
  fault.kind === 'NetworkChaos' && fault.parameters.peer ? [fault.parameters.peer.component] : []

/** Which event would tell most about the application's resilience? */
export const scenarioChooser: Agent<ScenarioInput, Scenario> = {
  name: 'fault-scenario',
  input: scenarioInput,
  output: scenarioSchema,
  prompt: ({ graph }) => ({
    stable:
      'Choose the event, within the failure model, whose outcome tells most about the resilience of a Kubernetes application.',
    question: JSON.stringify(graph),
  }),
  expert,
  check,
}
