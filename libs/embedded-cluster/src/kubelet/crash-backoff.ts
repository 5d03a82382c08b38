import { type Pod } from '../controllers/objects.js'

const FIRST_MS = 10_000
const MAX_MS = 300_000

/**
 * The kubelet's delay before it restarts a container that ended: none for the first restart, then 10 s, doubling to
 * 5 min, counted from the end of the last run. An image's history is forgotten after a calm of twice the maximum.
 */
export class CrashBackoff {
  private readonly entries = new Map<string, { delayMs: number; updatedMs: number }>()

  /** How long the container of that image, ended at `endedMs`, must still wait; 0 when it may start now. */
  remaining(image: string, endedMs: number, nowMs: number): number {
    const entry = this.entries.get(image)
    if (!entry || endedMs - entry.updatedMs > 2 * MAX_MS) return 0
    return Math.max(0, endedMs + entry.delayMs - nowMs)
  }

  /** The container starts again: the next wait is longer. */
  restarted(image: string, nowMs: number): void {
    const entry = this.entries.get(image)
    const calm = entry && nowMs - entry.updatedMs > 2 * MAX_MS
    const delayMs = entry && !calm ? Math.min(2 * entry.delayMs, MAX_MS) : FIRST_MS
    this.entries.set(image, { delayMs, updatedMs: nowMs })
  }

  /** The delay that is in force, in ms. */
  delay(image: string): number {
    return this.entries.get(image)?.delayMs ?? 0
  }
}

/** What the event and the status of a container that has to wait say. */
export function backOffTexts({ metadata }: Pod, container: string, delayMs: number): { said: string; message: string } {
  const pod = `${metadata.name}_${metadata.namespace ?? ''}(${metadata.uid})`
  return {
    said: `Back-off restarting failed container ${container} in pod ${pod}`,
    message: `back-off ${inWords(delayMs)} restarting failed container=${container} pod=${pod}`,
  }
}

/** "10s", "1m20s", "5m0s", as Go prints a duration. */
function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
