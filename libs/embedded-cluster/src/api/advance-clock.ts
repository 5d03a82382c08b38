import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Kernel } from '../kernel/kernel.js'
import { ApiError, badRequest } from '../store/api-error.js'
import type { ObjectStore } from '../store/store.js'
import { filterOf } from './filter.js'
import { parseResourcePath, type ResourcePath } from '../schema/resource-path.js'
import { watchObjects } from './watch-objects.js'

/** Events between two looks at the event loop: some milliseconds. */
const SLICE = 2_000
/** So many events at one instant are a loop that time cannot leave. */
const LIVELOCK_EVENTS = 5_000_000

export interface Advance {
  /** Virtual milliseconds since the Unix epoch. */
  until: number
  /** Collections whose change ends the advance: paths of the API, with a selector where wanted. */
  wakeOn: readonly string[]
}

export interface Advanced {
  now: number
  /** Whether a change ended it before its time. */
  woken: boolean
}

/**
 * Moves virtual time event by event, giving way to the event loop in between. Ends at `until`, at the first instant
 * that changed a watched collection (all of that instant is done), or when the signal is aborted.
 */
export async function advanceClock(
  target: { kernel: Kernel; store: ObjectStore },
  advance: Advance,
  signal: AbortSignal,
): Promise<Advanced> {
  const { kernel, store } = target
  let woken = false
  const endings = advance.wakeOn.map(watchedPath).map(({ path, query }) =>
    watchObjects(store, path, query).follow(() => {
      woken = true
    }),
  )
  try {
    const stop = (): boolean => woken || signal.aborted
    const guard = livelockGuard(kernel)
    while (kernel.runUntil(advance.until, { stop, maxEvents: SLICE }) === 'paused' && !signal.aborted) {
      guard()
      await yieldToEventLoop()
    }
    return { now: kernel.now, woken }
  } finally {
    for (const end of endings) end()
  }
}

function watchedPath(text: string): { path: ResourcePath; query: URLSearchParams } {
  const [pathname = '', search = ''] = text.split('?')
  const path = parseResourcePath(pathname)
  if (!path || path.subresource !== null)
    throw badRequest(`wakeOn: ${JSON.stringify(text)} is no collection of the API`)
  const query = new URLSearchParams(search)
  filterOf(path.definition, query)
  // Only later changes count, whatever the version.
  query.set('resourceVersion', '')
  return { path, query }
}

function livelockGuard(kernel: Kernel): () => void {
  let since = kernel.now
  let events = kernel.eventsRun
  return () => {
    if (kernel.now !== since) [since, events] = [kernel.now, kernel.eventsRun]
    if (kernel.eventsRun - events < LIVELOCK_EVENTS) return
    throw new ApiError(500, 'InternalError', `the simulation does not get past ${new Date(since).toISOString()}`)
  }
}
