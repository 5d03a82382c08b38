import { sketch, type Agent } from '@ordeal/agents'
import { steadyStateDraft, type SteadyStateDraft } from '@ordeal/shared'
import { z } from 'zod'
import { samePlace, draftFor, draftInput, draftOutput, type DraftInput, type DraftOutput } from './steady-states.js'

const input = draftInput.extend({ steadyStates: z.array(steadyStateDraft) })
type Input = DraftInput & { readonly steadyStates: SteadyStateDraft[] }

const answer = z.object({
  missing: z.array(
    z.object({
      object: z.string(),
      path: z
        .string()
        .regex(/^\/\S{0,200}$/)
        .nullable(),
      why: z.string().max(300),
    }),
  ),
})
type Answer = z.infer<typeof answer>

/** Adds what is missing as far as there is room. */
function combine({ missing }: Answer, floor: DraftOutput, question: Input): DraftOutput {
  const added = missing.reduce<SteadyStateDraft[]>((states, wanted) => {
    const draft = draftFor(wanted, question)
    const isNew = draft && !states.some((s) => samePlace(s, draft)) && !states.some((s) => s.id === draft.id)
    return isNew ? [...states, draft] : states
  }, floor.steadyStates)
  return { steadyStates: added.slice(0, Math.max(question.maxSteadyStates, floor.steadyStates.length)) }
}

/** Is anything that matters left without a check? */
export const completenessJudge: Agent<Input, Answer, DraftOutput> = {
  name: 'completeness',
  input,
  answer,
  output: draftOutput,
  parts: 'missing',
  prompt: ({ graph, steadyStates }) => ({
    stable: `Compare an application with the properties that will be measured. List objects that matter to its users and that no
property looks at: a service with the path to ask, or a workload with path null. An empty list is a good answer.`,
    facts: {
      application: sketch(graph),
      measured: steadyStates.map(({ id, statement, target }) => ({ id, statement, target })),
    },
  }),
  expert: ({ steadyStates }) => ({ steadyStates }),
  combine,
  problems: ({ missing }, question) =>
    missing
      .filter((wanted) => draftFor(wanted, question) === null)
      .map(
        ({ object }) => `${object} is neither a workload with pods nor a service with an HTTP port of the application`,
      ),
  check: () => [],
}
