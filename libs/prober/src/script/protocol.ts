/** What a script asks of the world: each is done outside of the sandbox, and the script run again with its answer. */
export type Effect =
  | { readonly kind: 'http'; readonly path: string }
  | { readonly kind: 'list'; readonly labels: Readonly<Record<string, string>> | null }
  | { readonly kind: 'prometheus'; readonly query: string }
  | { readonly kind: 'sleep'; readonly ms: number }

/** The answer to an effect, as JSON. */
export type EffectAnswer = unknown

/** One run of a script: from its beginning, with the answers that are known so far. */
export interface ScriptRun {
  readonly code: string
  readonly answers: readonly EffectAnswer[]
  /** What `now()` says, and what the random numbers come from: the same for each run of one reading. */
  readonly startedAt: number
}

/** How a run ended. */
export type ScriptStep =
  | { readonly kind: 'asks'; readonly effect: Effect }
  /** `value` is what the script gave to `sample`, if it did. */
  | { readonly kind: 'passed'; readonly value: number | null }
  /** An assertion did not hold. */
  | { readonly kind: 'failed'; readonly value: number | null; readonly message: string }
  /** The script itself is at fault: it does not parse, throws, or needs more than it may. Says nothing of the application. */
  | { readonly kind: 'broken'; readonly message: string }

/** A script may ask so often in one reading. */
export const MAX_EFFECTS = 32
/** Characters of a script. */
export const MAX_CODE = 16 * 1024
