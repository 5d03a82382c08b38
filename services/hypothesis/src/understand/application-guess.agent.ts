import { sketch, type Agent } from '@ordeal/agents'
import { nameOf } from '@ordeal/kubernetes'
import { graphSchema, trafficSchema } from '@ordeal/shared'
import { z } from 'zod'

const input = z.object({ graph: graphSchema })
type Input = z.infer<typeof input>

/** More than these of one entry point are not worth the load that they put on it. */
const MAX_PATHS = 4
const answer = z.object({
  /** What users ask the entry points for, beside what is known. */
  paths: z.array(z.object({ service: z.string(), path: trafficSchema.shape.paths.valueType })).max(MAX_PATHS),
})
export const guessSchema = answer
export type Guess = z.infer<typeof guessSchema>

const servicesOf = ({ graph }: Input): string[] => graph.entryPoints.map(nameOf)

/**
 * How do users use it: what do they ask its entry points for? Guesses are measured beside what is known, never in its
 * place, and one that does not answer without a fault is left out.
 */
export const applicationGuesser: Agent<Input, Guess, Guess> = {
  name: 'application-guess',
  input,
  answer,
  output: guessSchema,
  parts: 'paths',
  prompt: (question) => ({
    stable: `From names, images and well-known conventions, guess which paths users ask the entry points for, beside "/". Name
only those that answer with success; at most ${MAX_PATHS}, none where you are not sure.`,
    facts: { application: sketch(question.graph), entryPoints: servicesOf(question) },
  }),
  expert: () => ({ paths: [] }),
  combine: (said) => said,
  problems: ({ paths }, question) =>
    paths.filter((p) => !servicesOf(question).includes(p.service)).map((p) => `there is no entry point ${p.service}`),
  check: () => [],
}
