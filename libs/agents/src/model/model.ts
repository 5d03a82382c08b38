import { OrdealError } from '@ordeal/shared'

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** One request to a model. */
export interface ModelRequest {
  /** Names the answer's schema to the endpoint: letters, digits, dashes. */
  readonly name: string
  readonly messages: readonly Message[]
  /** JSON Schema of the answer, in the strict dialect: every property required, none additional. */
  readonly schema: Record<string, unknown>
  readonly maxOutputTokens: number
  readonly seed: number
  readonly signal: AbortSignal
  /** Told now and then how many characters have come. */
  readonly onProgress?: (characters: number) => void
}

/** What came back. `cut` when the model stopped at the limit on its output. */
export interface Completion {
  readonly text: string
  readonly cut: boolean
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Whatever answers: an endpoint, or a recording of one. Throws ModelError. */
export interface Model {
  readonly name: string
  complete(request: ModelRequest): Promise<Completion>
}

/** Why a model gave no answer. */
export type ModelProblem =
  /** Down, not reachable, overloaded after retries, or its circuit is open. */
  | 'unavailable'
  | 'too-slow'
  /** It refuses the request for good: key, model name, size. */
  | 'refused'
  /** More than an answer may be. */
  | 'too-large'

/** Thrown when a model gives no answer; the expert then does. Never a reason for a cycle to fail. */
export class ModelError extends OrdealError {
  readonly code = 'model-unavailable'

  constructor(
    readonly problem: ModelProblem,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}
