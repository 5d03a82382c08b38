import { type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import {
  graphSchema,
  steadyStateDraft,
  type Graph,
  type Service,
  type SteadyStateDraft,
  type Threshold,
  type Workload,
} from '@ordeal/shared'
import { z } from 'zod'
import { DEFAULTS } from './failure-model.js'
import { feels, reaches } from './feels.js'
import { reachOf } from './reach.js'
import { rankTargets } from './scenario.js'

const draftInput = z.object({ graph: graphSchema, maxSteadyStates: z.number().int().positive() })
export const draftOutput = z.object({ steadyStates: z.array(steadyStateDraft).min(1) })
type DraftInput = z.infer<typeof draftInput>
type DraftOutput = z.infer<typeof draftOutput>

/**
 * Ports on which databases, caches and brokers listen by convention (IANA service names): asking them for an HTTP
 * answer would prove nothing.
 */
const NOT_HTTP = new Set([1433, 1521, 2181, 3306, 4222, 5432, 5672, 6379, 9042, 9092, 11211, 26257, 27017])

const threshold = (): Threshold => ({
  maxLatencyMs: null,
  fault: { minShare: DEFAULTS.minShare, maxOutageMs: DEFAULTS.maxOutageMs },
  post: { normalAfterMs: DEFAULTS.normalAfterMs, minShare: DEFAULTS.normalShare },
})

function answers(service: Service, port: number): SteadyStateDraft {
  const name = nameOf(service.id)
  return {
    id: `${name.slice(0, 40)}-answers`,
    statement: `Whoever calls ${name} gets a good answer within ${DEFAULTS.requestTimeoutMs / 1000} s`,
    target: service.id,
    weight: 3,
    probe: {
      kind: 'http',
      service: name,
      port,
      path: '/',
      ratePerSecond: DEFAULTS.requestsPerSecond,
      timeoutMs: DEFAULTS.requestTimeoutMs,
    },
    threshold: threshold(),
  }
}

function ready(workload: Workload): SteadyStateDraft {
  const name = nameOf(workload.id)
  return {
    id: `${name.slice(0, 40)}-ready`,
    statement: `${name} has at least one pod that is ready`,
    target: workload.id,
    weight: 1,
    probe: { kind: 'k8s', selector: workload.selector, minReady: 1, periodMs: DEFAULTS.readyPeriodMs },
    threshold: threshold(),
  }
}

/** The port of an entry point that speaks HTTP as far as can be told, or undefined. */
const httpPortOf = (service: Service): number | undefined =>
  service.ports.find(({ port, protocol }) => protocol === undefined && !NOT_HTTP.has(port))?.port

function userSeen(graph: Graph): SteadyStateDraft[] {
  const entries = graph.services.filter((s) => graph.entryPoints.includes(s.id))
  return entries.flatMap((service) => {
    const port = httpPortOf(service)
    return port === undefined ? [] : [answers(service, port)]
  })
}

/** Two objects of different kinds may share a name; a steady state's id must not. */
function unique(drafts: SteadyStateDraft[]): SteadyStateDraft[] {
  const seen = new Map<string, number>()
  return drafts.map((draft) => {
    const count = (seen.get(draft.id) ?? 0) + 1
    seen.set(draft.id, count)
    return count === 1 ? draft : { ...draft, id: `${draft.id}-${count}` }
  })
}

/** Those that can feel the loss that tells most: by requests that get there, else by its own readiness. */
function feeling(graph: Graph, drafts: readonly SteadyStateDraft[]): readonly SteadyStateDraft[] {
  const target = rankTargets(graph)[0]?.workload.id
  if (target === undefined) return []
  const reaching = drafts.filter((draft) => reaches(graph, draft, target))
  return reaching.length ? reaching : drafts.filter((draft) => feels(graph, draft, target))
}

/** What a user sees first, then the components, nearest to the user first. */
function expert({ graph, maxSteadyStates }: DraftInput): DraftOutput {
  const reach = reachOf(graph)
  const components = graph.workloads
    .filter((w) => w.replicas > 0)
    .toSorted((a, b) => (reach.get(a.id) ?? Infinity) - (reach.get(b.id) ?? Infinity) || a.id.localeCompare(b.id))
  const drafts = unique([...userSeen(graph), ...components.map(ready)])
  const kept = new Set([...new Set([...feeling(graph, drafts), ...drafts])].slice(0, maxSteadyStates))
  return { steadyStates: drafts.filter((draft) => kept.has(draft)) }
}

function unfelt({ steadyStates }: DraftOutput, graph: Graph): string[] {
  const target = rankTargets(graph)[0]?.workload.id
  if (target === undefined || steadyStates.some((s) => feels(graph, s, target))) return []
  return [`no steady state can feel the loss of ${target}, which tells most`]
}

function check({ steadyStates }: DraftOutput, { graph, maxSteadyStates }: DraftInput): string[] {
  const known = new Set([...graph.services, ...graph.workloads].map((o) => o.id))
  const ids = steadyStates.map((s) => s.id)
  return [
    ...steadyStates.filter((s) => !known.has(s.target)).map((s) => `${s.id}: no object ${s.target} in the application`),
    ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two steady states are called ${id}`),
    ...unfelt({ steadyStates }, graph),
    ...(steadyStates.length > maxSteadyStates ? [`more than ${maxSteadyStates} steady states`] : []),
  ]
}

/** Which properties describe the application's normal behaviour? */
export const steadyStateDrafter: Agent<DraftInput, DraftOutput> = {
  name: 'steady-state-draft',
  input: draftInput,
  output: draftOutput,
  prompt: ({ graph, maxSteadyStates }) => ({
    stable:
      'Name measurable properties of the normal behaviour of a Kubernetes application: what its users see first, then its components.',
    question: JSON.stringify({ graph, maxSteadyStates }),
  }),
  expert,
  check,
}
