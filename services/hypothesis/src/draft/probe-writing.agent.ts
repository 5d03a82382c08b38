import { sketch, type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import { runScript } from '@ordeal/prober'
import { scriptCheckSchema, steadyStateDraft, type SteadyStateDraft } from '@ordeal/shared'
import { z } from 'zod'
import { draftInput, draftOutput, scripted, type DraftInput, type DraftOutput } from './steady-states.js'

const input = draftInput.extend({ steadyStates: z.array(steadyStateDraft) })
type Input = DraftInput & { readonly steadyStates: SteadyStateDraft[] }

/** Each runs for the whole cycle; more are no better. */
const MAX_SCRIPTS = 3
const answer = z.object({
  scripts: z
    .array(
      z.object({
        name: scriptCheckSchema.shape.name,
        statement: scriptCheckSchema.shape.statement,
        service: z.string(),
        code: z.string().min(1).max(4000),
      }),
    )
    .max(MAX_SCRIPTS),
})
type Answer = z.infer<typeof answer>

const EVERY_MS = 1000

/** What a run without any answer shows: whether it parses, and asks for what there is. */
function faultOf(code: string): string[] {
  const step = runScript({ code, answers: [], startedAt: 0 })
  return step.kind === 'broken' ? [`the script is at fault itself: ${step.message}`] : []
}

function draftsFor({ scripts }: Answer, question: Input): SteadyStateDraft[] {
  return scripts.flatMap((script) => scripted({ ...script, everyMs: EVERY_MS }, question) ?? [])
}

function problems({ scripts }: Answer, question: Input): string[] {
  const taken = new Set(question.steadyStates.map((s) => s.id))
  return scripts.flatMap((script) => [
    ...(scripted({ ...script, everyMs: EVERY_MS }, question)
      ? []
      : [`${script.service} is no service with an HTTP port of the application`]),
    ...(taken.has(script.name) ? [`there is a steady state ${script.name} already`] : []),
    ...faultOf(script.code).map((fault) => `${script.name}: ${fault}`),
  ])
}

/** Which properties need more than a typed probe to be measured? Scripts come beside the typed probes. */
export const probeWriter: Agent<Input, Answer, DraftOutput> = {
  name: 'probe-writing',
  input,
  answer,
  output: draftOutput,
  parts: 'scripts',
  prompt: (question) => ({
    stable: `HTTP answers and ready pods are measured already. Where a property of a service needs more (several requests, a body,
pods compared with each other), write a short JavaScript check for it; at most ${MAX_SCRIPTS}, none where nothing is missing.
There are http.request(path) → {status, ok, error, body}, k8s.list('pods', labels) → objects, sleep(ms), sample(number),
assert(holds, message). No other globals, no regular expressions, no dates, no async. It runs every second and fails when
an assertion does not hold.`,
    facts: {
      application: sketch(question.graph),
      services: question.graph.services.map((s) => nameOf(s.id)),
      measured: question.steadyStates.map(({ id, statement }) => ({ id, statement })),
    },
  }),
  expert: ({ steadyStates }) => ({ steadyStates }),
  combine: (said, floor, question) => ({
    steadyStates: [...floor.steadyStates, ...draftsFor(said, question)].slice(
      0,
      Math.max(question.maxSteadyStates, floor.steadyStates.length),
    ),
  }),
  problems,
  check: () => [],
}
