import { sketch, type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import {
  expectationsSchema,
  graphSchema,
  steadyStateDraft,
  type Expectations,
  type ScriptCheck,
  type Service,
  type SteadyStateDraft,
  type Workload,
} from '@ordeal/shared'
import { z } from 'zod'
import { doorTo, pathOf } from './doors.js'
import { MEASURING } from './failure-model.js'
import { feels, reaches } from './feels.js'
import { reachOf } from './reach.js'
import { guessSchema } from '../understand/application-guess.agent.js'
import { leadingTargets } from './rank-targets.js'
import { stricter, thresholdOf } from './thresholds.js'

export const draftInput = z.object({
  graph: graphSchema,
  expectations: expectationsSchema,
  /** Further paths that users may ask entry points for. */
  guessed: guessSchema.shape.paths,
  maxSteadyStates: z.number().int().positive(),
})
export const draftOutput = z.object({ steadyStates: z.array(steadyStateDraft).min(1) })
export type DraftInput = z.infer<typeof draftInput>
export type DraftOutput = z.infer<typeof draftOutput>

const draftAnswer = z.object({
  steadyStates: z.array(
    z.object({
      object: z.string(),
      statement: z.string().min(1).max(300),
      /** Of a service: what is asked for; null for a workload. */
      path: z
        .string()
        .regex(/^\/\S{0,200}$/)
        .nullable(),
      /** Bounds on how strict a model may be: beyond them nothing real would pass. */
      minShare: z.number().min(0).max(0.99),
      maxOutageMs: z.number().min(1000).max(600_000),
      normalAfterMs: z.number().min(2000).max(600_000),
    }),
  ),
})
type DraftAnswer = z.infer<typeof draftAnswer>
type Wanted = DraftAnswer['steadyStates'][number]

/**
 * Ports on which databases, caches and brokers listen by convention (IANA service names): asking them for an HTTP
 * answer would prove nothing.
 */
const NOT_HTTP = new Set([1433, 1521, 2181, 3306, 4222, 5432, 5672, 6379, 9042, 9092, 11211, 26257, 27017])

interface Asked extends Pick<DraftInput, 'graph' | 'expectations'> {
  readonly service: Service
  readonly path: string
}

/** That a path of a service answers, asked the way that users come; null where it does not speak HTTP. */
function answers({ service, path, graph, expectations }: Asked): SteadyStateDraft | null {
  const door = doorTo(graph, service.id, path)
  const port = door?.port ?? httpPortOf(service)
  if (port === undefined) return null
  const name = nameOf(service.id)
  const what = path === '/' ? name : `${name}${path}`
  const asked = door ? `${door.through.host ?? name}${path} through ${door.through.ingress}` : what
  return {
    id: idFrom(name, path, 'answers'),
    statement: `Whoever calls ${asked} gets a good answer within ${MEASURING.requestTimeoutMs / 1000} s`,
    target: service.id,
    weight: 3,
    probe: {
      kind: 'http',
      service: name,
      port,
      path,
      ...(door && { through: door.through }),
      ratePerSecond: expectations.traffic.requestsPerSecond,
      timeoutMs: MEASURING.requestTimeoutMs,
    },
    threshold: thresholdOf(expectations),
  }
}

/** `shop-answers`, `shop-checkout-answers`. */
function idFrom(name: string, path: string, what: string): string {
  const slug = path
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `${[name, slug].filter(Boolean).join('-').slice(0, 40).replace(/-$/, '')}-${what}`
}

function ready(workload: Workload, expectations: Expectations): SteadyStateDraft {
  const name = nameOf(workload.id)
  return {
    id: idFrom(name, '', 'ready'),
    statement: `${name} has at least one pod that is ready`,
    target: workload.id,
    weight: 1,
    probe: { kind: 'k8s', selector: workload.selector, minReady: 1, periodMs: MEASURING.readyPeriodMs },
    threshold: thresholdOf(expectations),
  }
}

/** A check of the user's own; null when its service is not one that speaks HTTP. */
export function scripted(
  check: ScriptCheck,
  { graph, expectations }: Pick<DraftInput, 'graph' | 'expectations'>,
): SteadyStateDraft | null {
  const service = graph.services.find((s) => nameOf(s.id) === check.service)
  const port = service && httpPortOf(service)
  if (!service || port === undefined) return null
  return {
    id: check.name,
    statement: check.statement,
    target: service.id,
    weight: graph.entryPoints.includes(service.id) ? 3 : 1,
    probe: {
      kind: 'script',
      code: check.code,
      service: nameOf(service.id),
      port,
      prometheusUrl: expectations.prometheusUrl,
      periodMs: check.everyMs,
      timeoutMs: Math.max(check.everyMs, MEASURING.requestTimeoutMs),
    },
    threshold: thresholdOf(expectations),
  }
}

/** Ports of which, where a service has others, users rather ask those: TLS, and what others collect measurements from. */
const RATHER_NOT = new Set([443, 8443, 9090, 9091, 9100, 9102, 9113, 9121, 9187, 15020])

/** The port of an entry point that speaks HTTP as far as can be told, the likeliest to be meant for users, or undefined. */
function httpPortOf(service: Service): number | undefined {
  const spoken = service.ports.filter(({ port, protocol }) => protocol === undefined && !NOT_HTTP.has(port))
  const ports = spoken.map(({ port }) => port)
  return ports.find((port) => port === 80) ?? ports.find((port) => !RATHER_NOT.has(port)) ?? ports[0]
}

function userSeen({ graph, expectations, guessed }: DraftInput): SteadyStateDraft[] {
  const entries = graph.services.filter((s) => graph.entryPoints.includes(s.id))
  return entries.flatMap((service) => {
    const name = nameOf(service.id)
    const paths = [
      expectations.traffic.paths[name] ?? pathOf(graph, service.id),
      ...guessed.filter((g) => g.service === name).map((g) => g.path),
    ]
    return [...new Set(paths)].flatMap((path) => answers({ service, path, graph, expectations }) ?? [])
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

/** Those that can feel the event that tells most: by requests that get there, else by its own readiness. */
function feeling(
  { graph, expectations }: DraftInput,
  drafts: readonly SteadyStateDraft[],
): readonly SteadyStateDraft[] {
  const targets = leadingTargets(graph, expectations.failureModel)
  return targets.flatMap((target) => {
    const reaching = drafts.filter((draft) => reaches(graph, draft, target))
    return reaching.length ? reaching : drafts.filter((draft) => feels(graph, draft, target))
  })
}

/** What a user sees first, then the components, nearest to the user first. */
function expert(input: DraftInput): DraftOutput {
  const { graph, expectations, maxSteadyStates } = input
  const reach = reachOf(graph)
  const components = graph.workloads
    .filter((w) => w.replicas > 0)
    .toSorted((a, b) => (reach.get(a.id) ?? Infinity) - (reach.get(b.id) ?? Infinity) || a.id.localeCompare(b.id))
  const own = expectations.checks.flatMap((check) => scripted(check, input) ?? [])
  const drafts = unique([...own, ...userSeen(input), ...components.map((w) => ready(w, expectations))])
  const kept = new Set([...new Set([...feeling(input, drafts), ...drafts])].slice(0, maxSteadyStates))
  return { steadyStates: drafts.filter((draft) => kept.has(draft)) }
}

function unfelt({ steadyStates }: DraftOutput, { graph, expectations, maxSteadyStates }: DraftInput): string[] {
  const targets = leadingTargets(graph, expectations.failureModel)
  return targets
    .slice(0, maxSteadyStates)
    .filter((target) => !steadyStates.some((s) => feels(graph, s, target)))
    .map((target) => `no steady state can feel what happens to ${target}, which tells most`)
}

function check(output: DraftOutput, input: DraftInput): string[] {
  const { steadyStates } = output
  const { graph, maxSteadyStates } = input
  const known = new Set([...graph.services, ...graph.workloads].map((o) => o.id))
  const ids = steadyStates.map((s) => s.id)
  return [
    ...steadyStates.filter((s) => !known.has(s.target)).map((s) => `${s.id}: no object ${s.target} in the application`),
    ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two steady states are called ${id}`),
    ...unfelt(output, input),
    ...(steadyStates.length > maxSteadyStates ? [`more than ${maxSteadyStates} steady states`] : []),
  ]
}

/** A steady state as a model wants it, with everything that code knows better filled in; null when it cannot be one. */
export function draftFor(
  wanted: Pick<Wanted, 'object' | 'path'>,
  { graph, expectations }: Pick<DraftInput, 'graph' | 'expectations'>,
): SteadyStateDraft | null {
  const service = graph.services.find((s) => s.id === wanted.object)
  const workload = graph.workloads.find((w) => w.id === wanted.object)
  if (workload) return workload.replicas > 0 ? ready(workload, expectations) : null
  const path = wanted.path ?? pathOf(graph, wanted.object)
  const draft = service ? answers({ service, path, graph, expectations }) : null
  if (!service || !draft) return null
  return graph.entryPoints.includes(service.id) ? draft : { ...draft, weight: 1 }
}

/** True for two checks that ask the same of the same object; scripts are each their own. */
export const samePlace = (a: SteadyStateDraft, b: SteadyStateDraft): boolean =>
  a.target === b.target &&
  a.probe.kind === b.probe.kind &&
  a.probe.kind !== 'script' &&
  (a.probe.kind !== 'http' || b.probe.kind !== 'http' || a.probe.path === b.probe.path)

/** The floor's steady states with the stricter thresholds, then what the model adds, as far as there is room. */
function combine(said: DraftAnswer, floor: DraftOutput, input: DraftInput): DraftOutput {
  const wanted = said.steadyStates.flatMap((w) => {
    const draft = draftFor(w, input)
    return draft
      ? [
          {
            draft: { ...draft, statement: w.statement, threshold: stricter(draft.threshold, w, input.expectations) },
            asked: w,
          },
        ]
      : []
  })
  const kept = floor.steadyStates.map((state) => {
    const same = wanted.find(({ draft }) => samePlace(draft, state))
    return same
      ? {
          ...state,
          statement: same.draft.statement,
          threshold: stricter(state.threshold, same.asked, input.expectations),
        }
      : state
  })
  const added = wanted
    .map(({ draft }) => draft)
    .filter((draft, i, all) => ![...kept, ...all.slice(0, i)].some((state) => samePlace(state, draft)))
  return { steadyStates: unique([...kept, ...added]).slice(0, input.maxSteadyStates) }
}

function problems({ steadyStates }: DraftAnswer, input: DraftInput): string[] {
  return steadyStates.flatMap((wanted) => {
    if (draftFor(wanted, input)) return []
    return [`${wanted.object} is neither a workload with pods nor a service with an HTTP port of the application`]
  })
}

/** Which properties describe the application's normal behaviour? */
export const steadyStateDrafter: Agent<DraftInput, DraftAnswer, DraftOutput> = {
  name: 'steady-state-draft',
  input: draftInput,
  answer: draftAnswer,
  output: draftOutput,
  parts: 'steadyStates',
  prompt: ({ graph, expectations, maxSteadyStates }) => ({
    stable: `Name measurable properties of the normal behaviour of a Kubernetes application: what its users see first, then its
components. "object" is a service (its answers over HTTP at "path" are measured) or a workload (its ready pods are
counted, "path" null). In the time of the fault at least minShare of the samples must be good and no outage may be longer
than maxOutageMs; all must be normal normalAfterMs after it. At most ${maxSteadyStates} properties.`,
    facts: { application: sketch(graph), tolerances: expectations.tolerances, traffic: expectations.traffic },
  }),
  expert,
  combine,
  problems,
  check,
}
