import { ConfigError, type Environment } from '../config/service-config.js'

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

/**
 * Kills this process, as `kill -9` does, when it comes to `point`, or to its nth visit: `relay:published`,
 * `step:worked:deploy#2`.
 */
function killAt(point: string): Crashpoints {
  const [name, nth = '1'] = point.split('#')
  let visitsLeft = Number(nth)
  return {
    hit: (visited) => {
      if (visited === name && (visitsLeft -= 1) === 0) process.kill(process.pid, 'SIGKILL')
    },
  }
}

/**
 * The crashpoints that a process is told by ORDEAL_CRASH_AT, for tests alone. Throws ConfigError anywhere else: a
 * variable that slipped into a deployment must not kill it later, and must not be ignored either.
 */
export function crashpointsOf({ ORDEAL_CRASH_AT: point, NODE_ENV }: Environment): Crashpoints {
  if (!point) return noCrashpoints
  if (NODE_ENV === 'test') return killAt(point)
  throw new ConfigError(['ORDEAL_CRASH_AT kills the process, and is for tests (NODE_ENV=test) only. Unset it'])
}
