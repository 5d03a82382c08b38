import { approvableSchema, type PhaseContext } from '@ordeal/shared'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Agent } from '../agent.js'
import { judgeAnswer } from '../ask/conversation.js'
import { type Models } from '../ask/models.js'
import { expertOf, runAgent } from '../ask/run-agent.js'
import { approved, type Next, type Subject } from './approve.js'
import { recordPerson } from './person-call.js'
import { inDiff } from './written.js'

/** Where an agent is asked. */
export interface Consultation {
  readonly context: PhaseContext
  readonly models: Models
  /** Tells the steps apart where a phase asks an agent more than once. */
  readonly suffix?: string
}

/** Asks an agent in a durable step of its name, and people whether its answer may be used, where they want to be asked. */
export async function consult<I, A, O>(agent: Agent<I, A, O>, input: I, place: Consultation): Promise<O> {
  const { context, models, suffix = '' } = place
  const answer = await context.step(`${agent.name}${suffix}`, agent.output, () =>
    runAgent(agent, input, context, models),
  )
  return (await approved(answer, subjectOf(agent, input, place), context)).value
}

function subjectOf<I, A, O>(
  agent: Agent<I, A, O>,
  input: I,
  { context, models, suffix = '' }: Consultation,
): Subject<O> {
  const floor = expertOf(agent, agent.input.parse(input))
  return {
    what: approvableSchema.parse(agent.name),
    name: `${agent.name}${suffix}`,
    revision: context.revision,
    value: agent.output,
    form: z.toJSONSchema(agent.answer, { target: 'draft-7' }),
    show: (value, before) => ({
      title: `Answer of the agent ${agent.name}${isDeepStrictEqual(value, floor) ? ', as the rules have it' : ''}`,
      text: inDiff(agent.name, before ?? (isDeepStrictEqual(value, floor) ? null : floor), value),
      document: null,
    }),
    replaced: async (document, value) => {
      const judged = judgeAnswer(agent, document, floor, input)
      if ('problems' in judged) return { value, problems: judged.problems }
      await recordPerson(agent.name, judged.output, context)
      return { value: judged.output, problems: [] }
    },
    revised: (message, value) => revised({ agent, input, context, models }, message, value),
  }
}

interface Asked<I, A, O> {
  readonly agent: Agent<I, A, O>
  readonly input: I
  readonly context: PhaseContext
  readonly models: Models
}

/** A model is asked again with the message. Rules have nothing to listen with, and say so. */
async function revised<I, A, O>(
  { agent, input, context, models }: Asked<I, A, O>,
  message: string,
  value: O,
): Promise<Next<O>> {
  if (!(await models.forCycle(context))) {
    const problem = `The rules answer this question (${agent.name}), and cannot follow words: replace their answer, approve or reject it`
    return { value, problems: [problem] }
  }
  const next = await runAgent(withWish(agent, value, message), input, context, models)
  if (!isDeepStrictEqual(next, value)) return { value: next, problems: [] }
  return { value, problems: ['The model kept to its answer, or gave none that may be used'] }
}

const WISH = `A person has read the answer under "proposed" and wants another one: "wish" says how. Follow it as far as the rules of
this question let you.`

/** The agent, asked for another answer than the one that a person was shown. */
export const withWish = <I, A, O>(agent: Agent<I, A, O>, proposed: unknown, wish: string): Agent<I, A, O> => ({
  ...agent,
  revised: true,
  prompt: (input) => {
    const { stable, facts } = agent.prompt(input)
    return { stable: `${stable}\n${WISH}`, facts: { ...facts, proposed, wish } }
  },
})
