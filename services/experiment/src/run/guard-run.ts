import { type SampleLine } from '@ordeal/prober'
import { TerminalError, type Guard, type SteadyState } from '@ordeal/shared'

/** A guard with what it watches. */
export interface Watch {
  readonly guard: Guard
  readonly state: SteadyState
}

/**
 * What is watched while faults are in force. A guard that names no steady state watches each that a user sees. Throws
 * TerminalError `guard-unknown` for one that names a steady state which the hypothesis does not have.
 */
export function watchesOf(guards: readonly Guard[], states: readonly SteadyState[]): Watch[] {
  return guards.flatMap((guard) => {
    const watched = states.filter((s) => (guard.steadyState === null ? s.weight === 3 : s.id === guard.steadyState))
    if (watched.length === 0) throw unknown(guard, states)
    return watched.map((state) => ({ guard, state }))
  })
}

const unknown = ({ text }: Guard, states: readonly SteadyState[]): TerminalError =>
  new TerminalError(
    'guard-unknown',
    `'${text}' watches nothing; the steady states are ${states.map((s) => s.id).join(', ')}`,
  )

/** Why the run must be stopped, in words, by what was sampled since the first fault; null when nothing speaks for it. */
export function tripped(watches: readonly Watch[], samples: readonly SampleLine[], since: number): string | null {
  for (const watch of watches) {
    const own = samples.filter((s) => s.probe === watch.state.id && s.at >= since)
    const why = whyTripped(watch, own, since)
    if (why) return `${watch.state.id}: ${why} (guard '${watch.guard.text}')`
  }
  return null
}

function whyTripped({ guard: { rule }, state }: Watch, samples: readonly SampleLine[], since: number): string | null {
  const isGood = ({ ok, latencyMs }: SampleLine): boolean =>
    ok && (latencyMs ?? 0) <= (state.threshold.maxLatencyMs ?? Infinity)
  if (rule.kind === 'failures') {
    const row = samples.slice(-rule.inARow)
    return row.length === rule.inARow && !row.some(isGood) ? `${rule.inARow} failures in a row` : null
  }
  const newest = samples.at(-1)?.at ?? since
  if (newest - since < rule.forMs) return null
  const last = samples.filter((s) => s.at > newest - rule.forMs)
  const share = last.filter(isGood).length / last.length
  return share < rule.below ? `${Math.round(share * 100)} % good within ${rule.forMs / 1000} s` : null
}
