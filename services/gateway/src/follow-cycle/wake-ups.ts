/** Somebody who waits for news of one cycle. */
export interface Watch {
  /** Resolves at the first news since the last call, at the latest after `ms`, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

interface Watcher {
  news: boolean
  wake: (() => void) | null
}

/** Passes news of cycles on to those who watch them. News that come while nobody waits are kept for the next wait. */
export class WakeUps {
  private readonly watchers = new Map<string, Set<Watcher>>()

  /** News of a cycle; an empty id stands for all of them, after notifications may have been missed. */
  announce(cycleId: string): void {
    const due = cycleId ? [this.watchers.get(cycleId) ?? []] : [...this.watchers.values()]
    for (const watchers of due) for (const watcher of watchers) tell(watcher)
  }

  watch(cycleId: string): Watch {
    const watcher: Watcher = { news: false, wake: null }
    const watchers = this.watchers.get(cycleId) ?? new Set()
    this.watchers.set(cycleId, watchers.add(watcher))
    return {
      wait: (ms, signal) => untilNews(watcher, ms, signal),
      close: () => {
        watchers.delete(watcher)
        if (watchers.size === 0) this.watchers.delete(cycleId)
      },
    }
  }
}

function tell(watcher: Watcher): void {
  watcher.news = true
  watcher.wake?.()
}

async function untilNews(watcher: Watcher, ms: number, signal: AbortSignal): Promise<void> {
  if (!watcher.news && !signal.aborted) {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      watcher.wake = done
      signal.addEventListener('abort', done, { once: true })
    })
  }
  watcher.wake = null
  watcher.news = false
}
