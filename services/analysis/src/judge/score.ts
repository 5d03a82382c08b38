import { type Check, type SteadyState } from '@ordeal/shared'

/** The formula as people read it, shown wherever a score is. */
export const SCORE_FORMULA =
  '100 · Σ wᵢ·shareᵢ / Σ wᵢ, shareᵢ = samples of steady state i inside their threshold over the fault and post windows, ' +
  'wᵢ = 3 for what a user sees, 1 for a component'

/** Score of a run, 0–100, by the design's formula (§1). A steady state without samples counts as all failed. */
export function scoreOf(states: readonly SteadyState[], checks: readonly Check[]): number {
  const share = (state: SteadyState): number => {
    const own = checks.filter((c) => c.steadyState === state.id && c.window !== 'pre')
    const samples = own.reduce((sum, c) => sum + c.samples, 0)
    const failed = own.reduce((sum, c) => sum + c.failed, 0)
    return samples === 0 ? 0 : (samples - failed) / samples
  }
  const weights = states.reduce((sum, s) => sum + s.weight, 0)
  if (weights === 0) return 0
  const score = (100 * states.reduce((sum, s) => sum + s.weight * share(s), 0)) / weights
  return Math.round(score * 10) / 10
}
