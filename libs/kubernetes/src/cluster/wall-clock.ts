import { setTimeout as sleep } from 'node:timers/promises'
import { DeadlineError } from '@ordeal/shared'
import { type Clock, type Wait } from './clock.js'

/** Calls `changed` for each change below `path` until aborted; reconnects by itself. */
export type WatchPath = (path: string, changed: () => void, signal: AbortSignal) => void

/** A watch may be silently dead, so every wait looks again this often. */
const LOOK_AGAIN_MS = 2000
/** Changes come in bursts; one look serves all of a burst. */
const BURST_MS = 20

/** The clock of a real cluster: it waits. Conditions are looked at when a watch reports a change, and now and then. */
export function createWallClock(watchPath: WatchPath): Clock {
  return {
    now: () => Promise.resolve(Date.now()),
    waitUntil: async (timeMs, signal) => {
      signal.throwIfAborted()
      const waitMs = timeMs - Date.now()
      if (waitMs > 0) await abortable(sleep(waitMs, undefined, { signal }), signal)
    },
    waitFor: (wait, signal) => waitFor(watchPath, wait, signal),
  }
}

async function waitFor<T>(watchPath: WatchPath, wait: Wait<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const bell = createBell()
  const deadline = performance.now() + wait.withinMs
  try {
    for (const path of wait.watch) watchPath(path, bell.ring, both)
    for (;;) {
      signal.throwIfAborted()
      const found = await wait.check()
      if (found !== undefined) return found
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) throw new DeadlineError(wait.what, wait.withinMs)
      await bell.next(Math.min(leftMs, wait.everyMs ?? LOOK_AGAIN_MS), signal)
    }
  } finally {
    over.abort()
  }
}

interface Bell {
  readonly ring: () => void
  /** Resolves on the next ring (or one since the last call), or after `atMostMs`. */
  next(atMostMs: number, signal: AbortSignal): Promise<void>
}

function createBell(): Bell {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring: () => {
      rung = true
      wake?.()
    },
    next: async (atMostMs, signal) => {
      const woken = new AbortController()
      wake = () => woken.abort()
      if (rung) woken.abort()
      await sleep(atMostMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined)
      if (rung) await abortable(sleep(Math.min(BURST_MS, atMostMs), undefined, { signal }), signal)
      rung = false
      wake = null
      signal.throwIfAborted()
    },
  }
}

/** A sleep that was aborted rejects with the signal's own reason. */
async function abortable(slept: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await slept.catch(() => undefined)
  signal.throwIfAborted()
}
