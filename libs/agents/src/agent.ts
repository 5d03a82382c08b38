import { type z } from 'zod'

/** What a model is asked: a part that is the same for every question of the agent, then the question. */
export interface Prompt {
  readonly stable: string
  readonly question: string
}

/**
 * A question with typed input and output. The expert answers it by rule, deterministically and without a model; `check`
 * tells what is wrong with an answer beyond its shape (names that do not resolve, times that do not fit), one problem a
 * string, none for a good answer.
 */
export interface Agent<Input, Output> {
  readonly name: string
  readonly input: z.ZodType<Input>
  readonly output: z.ZodType<Output>
  prompt(input: Input): Prompt
  expert(input: Input): Output
  check(output: Output, input: Input): readonly string[]
}
