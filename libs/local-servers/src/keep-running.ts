import { coerceError } from '@ordeal/shared'
import { setTimeout as sleep } from 'node:timers/promises'
import { superviseProcess, type ServerCommand, type SupervisedProcess } from './supervised-process.js'

/** A program that is started again whenever it ends by itself. */
export interface KeepOptions {
  /**
   * How to start it. `start` counts from 0; `ready` is what the first start said when it was ready (its address), for
   * the ones after it to come back in the same place.
   */
  readonly command: (start: number, ready: string | null) => ServerCommand
  /** The longest wait before a start, in ms; default 10 000. */
  readonly longestWaitMs?: number
  /** Told when it ended by itself, or could not be started again, and after how long it is tried again. */
  readonly onEnd?: (end: { readonly reason: string; readonly againInMs: number }) => void
  /** Told when it is back. */
  readonly onStart?: (pid: number) => void
}

/** A program that runs, but for the moments between an end and the next start. */
export interface KeptProcess {
  /** What it said when it was ready for the first time. */
  readonly ready: string
  /** Of the program; null between an end and the next start. */
  readonly pid: number | null
  /** Ends it for good. Safe to call again. */
  readonly stop: () => Promise<void>
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 10_000
/** Who lived this long was well, and starts again without delay when it ends. */
const STEADY_MS = 10_000

/** How long to wait before the start that follows `failures` short lives in a row. */
const waitOf = (failures: number, longestMs: number): number => Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), longestMs)

/**
 * Starts a program, and again whenever it ends by itself, after a wait that doubles with each short life. It ends with
 * this process, however that ends. Throws like `superviseProcess` when the first start fails.
 */
export async function keepRunning(options: KeepOptions): Promise<KeptProcess> {
  const first = await superviseProcess(options.command(0, null))
  const stopping = new AbortController()
  let current: SupervisedProcess | null = first
  let starts = 1

  /** Says what went wrong, or null. */
  const startAgain = async (): Promise<string | null> => {
    try {
      const { signal } = stopping
      const started = await superviseProcess({ ...options.command(starts++, first.ready), signal })
      if (signal.aborted) return await started.stop().then(() => null)
      current = started
      options.onStart?.(started.pid)
      return null
    } catch (error) {
      return coerceError(error).message
    }
  }

  /** Answers how long it lived. */
  const untilEnd = async (): Promise<number> => {
    const startedAt = performance.now()
    await current?.ended
    current = null
    return performance.now() - startedAt
  }

  const watch = async (): Promise<void> => {
    let failures = 0
    let failure: string | null = null
    for (;;) {
      const livedMs = await untilEnd()
      if (stopping.signal.aborted) return
      failures = livedMs > STEADY_MS ? 1 : failures + 1
      const againInMs = waitOf(failures, options.longestWaitMs ?? LONGEST_WAIT_MS)
      options.onEnd?.({ reason: failure ?? 'it ended by itself', againInMs })
      await sleep(againInMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      failure = await startAgain()
    }
  }

  const watching = watch()
  const stop = async (): Promise<void> => {
    stopping.abort()
    await current?.stop()
    await watching
  }
  return {
    ready: first.ready,
    get pid() {
      return current?.pid ?? null
    },
    stop,
  }
}
