/** Something to wait for. */
export interface Wait<T> {
  /** In words, for the error: "pods of front to be ready". */
  readonly what: string
  /** How long it may take, in ms of the cluster's time. */
  readonly withinMs: number
  /** API paths of collections; a change in one of them is a reason to look again. */
  readonly watch: readonly string[]
  /** Look again at least this often (ms of the cluster's time), for what no watch shows. */
  readonly everyMs?: number
  /** The value waited for, or undefined as long as it is not there. */
  readonly check: () => Promise<T | undefined>
}

/**
 * The owner of a cluster's time: all waiting on a cluster goes through it. Every wait ends when `signal` aborts, with
 * the signal's reason.
 */
export interface Clock {
  /** The cluster's time, in ms since the Unix epoch. */
  now(): Promise<number>
  /** Resolves at `timeMs`; at once when that is past. */
  waitUntil(timeMs: number, signal: AbortSignal): Promise<void>
  /** Resolves with what `check` finds. Throws DeadlineError. */
  waitFor<T>(wait: Wait<T>, signal: AbortSignal): Promise<T>
}
