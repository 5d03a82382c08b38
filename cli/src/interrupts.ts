import { EXIT } from './exit-code.js'
import { type Screen } from './terminal/terminal.js'

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
  const onSignal = (): void => {
    if (!controller.signal.aborted) return controller.abort()
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
