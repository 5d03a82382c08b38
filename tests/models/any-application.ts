import { type ChatRequest, type Script } from '@ordeal/agents/testing'

const FACT = /<data title="([^"]+)">\n([\s\S]*?)\n<\/data>/g

/** What a question shows, by title. */
function factsOf({ messages }: ChatRequest): Record<string, unknown> {
  const asked = messages.find((message) => message.role === 'user')?.content ?? ''
  const facts: Record<string, unknown> = {}
  for (const [, title = '', json = 'null'] of asked.matchAll(FACT)) facts[title] = JSON.parse(json)
  return facts
}

/** An answer that depends on the question. */
const asked = (answer: (request: ChatRequest) => unknown): ((request: ChatRequest) => unknown) => answer

interface Application {
  readonly workloads: readonly string[]
  readonly services: readonly string[]
  readonly entryPoints: readonly string[]
}

const applicationIn = (request: ChatRequest): Application => factsOf(request)['application'] as Application
const idOf = (line: string): string => line.split(':')[0] ?? ''
const nameOf = (id: string): string => id.split('/').at(-1) ?? ''
/** Services of the application that users meet: what the facts call entry points, where those are services. */
const doors = (request: ChatRequest): string[] =>
  applicationIn(request).entryPoints.filter((id) => id.startsWith('Service/'))

const nothingAsked = {
  failureModel: {
    event: null,
    pods: null,
    together: null,
    workloads: null,
    spared: null,
    latencyMs: null,
    durationMs: null,
  },
  tolerances: { minShare: null, maxOutageMs: null, normalAfterMs: null },
  traffic: { requestsPerSecond: null, paths: [] },
  notUnderstood: [],
}

/** What a model says that reads its question and answers it well enough, for any application: it names what is there. */
export const ANSWERS_FOR_ANY: Script = {
  'instruction-filter': [nothingAsked],
  'manifest-summary': [
    asked((request) => ({
      description: 'An application as its manifests show it.',
      roles: applicationIn(request).workloads.map((line) => ({ object: idOf(line), role: 'does its part' })),
    })),
  ],
  'application-guess': [{ paths: [] }],
  weaknesses: [
    asked((request) => ({
      weaknesses: applicationIn(request)
        .workloads.filter((line) => /: 1 pods|bare pod/.test(line))
        .map((line) => ({ object: idOf(line), message: 'Whatever it does stops with its only pod.' })),
    })),
  ],
  'steady-state-draft': [
    asked((request) => ({
      steadyStates: doors(request).map((object) => ({
        ...{ object, statement: `Visitors of ${nameOf(object)} get what they came for`, path: '/' },
        ...{ minShare: 0.96, maxOutageMs: 4500, normalAfterMs: 4500 },
      })),
    })),
  ],
  'probe-writing': [{ scripts: [] }],
  completeness: [{ missing: [] }],
  threshold: [
    asked((request) => ({
      thresholds: (factsOf(request)['steadyStates'] as { id: string; baseline: { latencyMs: unknown } }[])
        .filter(({ baseline }) => baseline.latencyMs !== null)
        .map(({ id }) => ({ steadyState: id, maxLatencyMs: null, minShare: 0.96, maxOutageMs: 4500 })),
    })),
  ],
  'fault-scenario': [
    asked((request) => ({
      event: String(factsOf(request)['chosen']),
      reason: 'It is what visitors would notice first.',
      thenAlso: [],
    })),
  ],
  'fault-parameters': [{ faults: [] }],
  timeline: [{ preMs: 12_000, postMs: 22_000 }],
  diagnosis: [
    asked((request) => ({
      cause: 'Nothing stands in for the pods that were hit while they are away.',
      component: nameAfterOf((factsOf(request)['faults'] as string[])[0] ?? ''),
      evidence: [],
    })),
  ],
  improvement: [{ changes: [] }],
  reflection: [{ lesson: 'It was not enough: more of the same, or another way.' }],
  're-binding': [{ workload: null }],
  summary: [{ text: 'The experiment showed what the loss of a pod does, and the report says what to do about it.' }],
}

/** `pod-kill at one of Deployment/shop` → `Deployment/shop`. */
const nameAfterOf = (fault: string): string => fault.split(' of ').at(-1) ?? ''
