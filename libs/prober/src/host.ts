import { type ScriptRun, type ScriptStep } from './script/protocol.js'

/**
 * What the prober needs of the world. Real timers and sockets, or the embedded cluster's virtual time. Whoever is
 * called back is an object, never a function: a running embedded cluster is copied with all that waits in it.
 */
export interface ProberHost {
  /** Milliseconds since the Unix epoch; must never go back. */
  now(): number
  at(timeMs: number, task: Task): { cancel(): void }
  /** Sends one GET on a connection of its own and tells `taker` once; redirects are answers. */
  http(request: HttpRequest, taker: HttpTaker): void
  /** Lists the objects at an API path and tells `taker` once. */
  list(path: string, taker: ListTaker): void
  /** Runs a script in its sandbox, from its beginning. */
  script(run: ScriptRun): ScriptStep
  /** Writes one line of the log. */
  log(line: string): void
}
export interface Task {
  run(): void
}
export interface HttpTaker {
  answered(answer: HttpAnswer): void
}
export interface ListTaker {
  listed(answer: ListAnswer): void
}
export interface HttpRequest {
  readonly url: string
  readonly timeoutMs: number
  readonly headers?: Record<string, string>
  /** Whether `content` and `dateMs` are wanted. */
  readonly look?: boolean
  /** Whether `body` is wanted. */
  readonly read?: boolean
}
export interface HttpAnswer {
  readonly status: number | null
  readonly error: string | null
  readonly content?: string
  readonly dateMs?: number
  /** The beginning of the answer's body; absent where the host knows none. */
  readonly body?: string
}
export interface ListAnswer {
  readonly objects: unknown[] | null
  readonly error: string | null
}
