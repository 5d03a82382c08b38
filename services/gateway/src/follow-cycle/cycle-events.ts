import { type CycleEvent } from '../api/contract.js'

/** How many events are read from the log at once. */
const BATCH = 200
/** A silent stream says so this often, so that proxies and clients know that it lives. */
const HEARTBEAT_MS = 15_000

/** Some of a cycle's events; `finished` when nothing will be added after them any more. */
export interface LogPage {
  readonly events: readonly CycleEvent[]
  readonly finished: boolean
}

/** Where a cycle's events come from. */
export interface EventLog {
  /** Events after the sequence `after`, in order, at most `limit`. */
  read(after: number, limit: number): Promise<LogPage>
  /** Resolves when something may have been added since the last call, at the latest after `ms`. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

const frameOf = (event: CycleEvent): string =>
  `id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** Server-sent events of a cycle from after the sequence `after` to its end; then the generator returns. */
export async function* cycleEvents(log: EventLog, after: number, signal: AbortSignal): AsyncGenerator<string> {
  let last = after
  yield 'retry: 1000\n\n'
  while (!signal.aborted) {
    const { events, finished } = await log.read(last, BATCH)
    for (const event of events) {
      last = event.sequence
      yield frameOf(event)
    }
    if (events.length === BATCH) continue
    if (finished) return
    if (events.length === 0) yield ': still here\n\n'
    await log.wait(HEARTBEAT_MS, signal)
  }
}
