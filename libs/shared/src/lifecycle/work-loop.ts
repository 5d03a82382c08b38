import { coerceError } from '../errors.js'
import { type Logger } from '../logging/logger.js'

/** A loop that works when woken, and now and then by itself. */
export interface WorkLoop {
  /** There may be something to do. Cheap; any number of calls lead to one more pass. */
  wake(): void
  /** Ends the loop after the pass that runs. */
  stop(): Promise<void>
}

export interface WorkLoopOptions {
  readonly name: string
  readonly log: Logger
  /** One pass; answers whether another should follow at once. */
  readonly pass: () => Promise<boolean>
  /** How long it sleeps at most when nobody wakes it, and after a failed pass. */
  readonly idleMs: number
}

/** Starts a loop. One pass runs at a time; a pass that throws is logged and tried again after the idle time. */
export function startWorkLoop({ name, log, pass, idleMs }: WorkLoopOptions): WorkLoop {
  let woken = false
  let stopped = false
  let rouse: () => void = () => undefined

  const sleep = (unless: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, idleMs)
      rouse = () => {
        if (!unless()) return
        clearTimeout(timer)
        resolve()
      }
    })

  const attempt = async (): Promise<'more' | 'idle' | 'failed'> => {
    try {
      return (await pass()) ? 'more' : 'idle'
    } catch (error) {
      log.warn('a pass failed and is tried again', { loop: name, reason: coerceError(error).message })
      return 'failed'
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped) {
      woken = false
      const result = await attempt()
      // A wake-up does not shorten the pause after a failure, or an outage would be met with a busy loop.
      const wanted = (): boolean => stopped || (woken && result !== 'failed')
      if (result !== 'more' && !wanted()) await sleep(wanted)
    }
  }

  const done = run()
  return {
    wake: () => {
      woken = true
      rouse()
    },
    stop: () => {
      stopped = true
      rouse()
      return done
    },
  }
}
