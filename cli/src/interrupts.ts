import { EXIT } from './exit-code.js'
import { type Screen } from './terminal/terminal.js'

/**
 * A signal that comes again this soon is the same one: the terminal sends it to the whole group, and npx and the launcher
 * pass theirs on besides.
 */
const SAME_MS = 500
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Signals of the user and of the system, as one wish to stop. */
export interface Interrupts {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal
  /** Leaves the signals to their defaults again. */
  release(): void
}

/**
 * The first signal asks politely, by `signal`; the second one ends the process at once, and the servers' supervisors
 * notice that by themselves. The loss of the parent that started us over IPC (`bin/ordeal.mjs`) counts as a signal.
 */
export function listenForInterrupts(screen: Screen): Interrupts {
  const controller = new AbortController()
  let since = 0
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      since = performance.now()
      return controller.abort()
    }
    if (performance.now() - since < SAME_MS) return
    screen.write('\nStopped at once; clean-up was not waited for.\n')
    process.exit(EXIT.cancelled)
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  process.on('disconnect', onSignal)
  // Listening for the parent must not keep the process alive.
  process.channel?.unref()
  return {
    signal: controller.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal)
      process.off('disconnect', onSignal)
    },
  }
}
