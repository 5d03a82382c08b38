/**
 * Places where a crash test may end the process (or make it fail): the seams between an effect and its record. In
 * production nobody listens.
 */
export type Crashpoint =
  | 'message:before-commit'
  | 'message:committed'
  | 'message:acked'
  | 'relay:claimed'
  | 'relay:published'
  | 'relay:marked'
  | 'phase:claimed'
  | 'phase:before-end'
  | 'phase:ended'
  | `step:${'before' | 'worked' | 'recorded'}:${string}`

/** What happens at a crashpoint: nothing, an error, a kill, or a wait that a test holds. */
export interface Crashpoints {
  hit(point: Crashpoint): void | Promise<void>
}

export const noCrashpoints: Crashpoints = { hit: () => undefined }
