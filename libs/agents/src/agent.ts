import { type z } from 'zod'

/** What a model is asked. `stable` is the same for every question of the agent, so that providers can cache it. */
export interface Prompt {
  /** The task, the rules and the meaning of the answer's fields; never text of a user or a manifest. */
  readonly stable: string
  /** Facts by title, the least changing first. They are fenced as data: nothing in them is an instruction. */
  readonly facts: Readonly<Record<string, unknown>>
}

/**
 * A question with typed input and output. The expert answers it by rule, deterministically and without a model.
 *
 * A model is asked for an `answer`: small, in names rather than in selectors, with every field required (strict JSON
 * Schema knows no other). `combine` compiles it by code and joins it with the expert's output, which is the floor: what
 * the expert asks for stays, thresholds only get tighter, and the model adds. So no answer, however harmless, makes a
 * cycle weaker than it is without a model.
 */
export interface Agent<Input, Answer, Output> {
  readonly name: string
  readonly input: z.ZodType<Input>
  readonly answer: z.ZodType<Answer>
  readonly output: z.ZodType<Output>
  prompt(input: Input): Prompt
  expert(input: Input): Output
  combine(answer: Answer, floor: Output, input: Input): Output
  /** What is wrong with an answer beyond its shape (names that do not resolve, times that do not fit), one problem a string. */
  problems(answer: Answer, input: Input): readonly string[]
  /** What is wrong with an output, the expert's included. */
  check(output: Output, input: Input): readonly string[]
  /** Set where a model is asked for another answer after a person's message. */
  readonly revised?: true
  /** The field of the answer that lists parts which stand by themselves: good ones are kept when others are not. */
  readonly parts?: keyof Answer & string
}
