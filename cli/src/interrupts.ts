import { type EventEmitter } from 'node:events'
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

/** The part of a process that signals come to. */
export interface SignalTarget extends Pick<EventEmitter, 'on' | 'off'> {
  /** To the parent, where there is one that talks to us. */
  readonly channel?: { unref(): void }
  exit(code: number): void
}

/**
 * The first signal asks politely, by `signal`; the second one ends the process at once, and the servers' supervisors
 * notice that by themselves. The loss of the parent that started us over IPC (`bin/ordeal.mjs`) counts as a signal.
 */
export function listenForInterrupts(screen: Screen, target: SignalTarget = process): Interrupts {
  const controller = new AbortController()
  let since = 0
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      since = performance.now()
      return controller.abort()
    }
    if (performance.now() - since < SAME_MS) return
    screen.write('\nStopped at once; clean-up was not waited for.\n')
    target.exit(EXIT.cancelled)
  }
  for (const name of SIGNALS) target.on(name, onSignal)
  target.on('disconnect', onSignal)
  // Listening for the parent must not keep the process alive.
  target.channel?.unref()
  return {
    signal: controller.signal,
    release: () => {
      for (const name of SIGNALS) target.off(name, onSignal)
      target.off('disconnect', onSignal)
    },
  }
}
