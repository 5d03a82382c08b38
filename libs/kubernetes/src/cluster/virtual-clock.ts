import { setTimeout as sleep } from 'node:timers/promises'
import { DeadlineError } from '@ordeal/shared'
import { type Api } from './api.js'
import { type Clock, type Wait } from './clock.js'
import { type ApiRequest } from './transport.js'
import { ClusterLostError, isRefused } from './errors.js'

interface Moved {
  readonly now: number
  readonly woken: boolean
}

// An aborted advance of a phase that was closed may take a moment to let go of the clock.
const BUSY_TRIES = 100
const BUSY_WAIT_MS = 50

/**
 * The clock of an embedded cluster: virtual time moves only while somebody waits, event by event, and stands still
 * between two waits; so no change can be missed between a look and the next wait.
 */
export function createVirtualClock(api: Api): Clock {
  const now = async () => (await ask<{ now: number }>({ method: 'GET', path: '/clock' })).now

  const ask = async <T>(request: ApiRequest): Promise<T> => {
    try {
      return await api.json<T>(request)
    } catch (error) {
      if (isRefused(error, 404)) throw new ClusterLostError('the embedded cluster is not there any more', error)
      throw error
    }
  }

  const advance = async (until: number, wakeOn: readonly string[], signal: AbortSignal): Promise<Moved> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask<Moved>({ method: 'POST', path: '/clock', body: { until, wakeOn }, signal })
      } catch (error) {
        if (!isRefused(error, 409) || tries >= BUSY_TRIES) throw error
        await sleep(BUSY_WAIT_MS, undefined, { signal })
      }
    }
  }

  const waitFor = async <T>({ what, withinMs, watch, everyMs, check }: Wait<T>, signal: AbortSignal): Promise<T> => {
    let time = await now()
    const deadline = time + withinMs
    for (;;) {
      signal.throwIfAborted()
      const found = await check()
      if (found !== undefined) return found
      if (time >= deadline) throw new DeadlineError(what, withinMs)
      const until = Math.min(deadline, everyMs === undefined ? deadline : time + everyMs)
      time = (await advance(until, watch, signal)).now
    }
  }

  return {
    now,
    waitFor,
    waitUntil: async (timeMs, signal) => {
      let time = await now()
      while (time < timeMs) time = (await advance(timeMs, [], signal)).now
    },
  }
}
