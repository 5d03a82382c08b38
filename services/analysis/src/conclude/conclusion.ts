import { type Outcome, type Verdict } from '@ordeal/shared'

/** How a cycle ends, before its results are written down. `reason` is a code where the outcome is no verdict. */
export interface Conclusion {
  readonly outcome: Outcome
  readonly reason: string | null
  readonly message: string | null
}

/** Codes of phases that ended for good because nothing could be proved, rather than because something broke. */
const UNPROVEN = new Set(['baseline-broken', 'no-checks', 'deadline', 'not-settled'])

/** What a phase that failed for good makes of the cycle. */
export const afterFailure = (code: string, message: string): Conclusion => ({
  outcome: UNPROVEN.has(code) ? 'inconclusive' : 'failed',
  reason: code,
  message,
})

/** What the first run makes of the cycle; null when it goes on with an improvement. */
function afterFirst(verdict: Verdict, mayImprove: boolean): Conclusion | null {
  if (verdict.verdict === 'held') return { outcome: 'resilient', reason: null, message: null }
  if (mayImprove) return null
  return { outcome: 'vulnerable', reason: null, message: 'No improvement was asked for.' }
}

/**
 * What a verdict makes of the cycle; null when it goes on with another revision. A lost cluster is a failure; a first
 * run that proves nothing leaves the whole cycle inconclusive; a later one only rules its idea out.
 */
export function afterVerdict(verdict: Verdict, mayImprove: boolean): Conclusion | null {
  if (verdict.reason === 'cluster-lost') return { outcome: 'failed', reason: verdict.reason, message: verdict.message }
  if (verdict.revision > 0)
    return verdict.verdict === 'held' ? { outcome: 'improved', reason: null, message: null } : null
  if (verdict.verdict === 'inconclusive') {
    return { outcome: 'inconclusive', reason: verdict.reason, message: verdict.message }
  }
  return afterFirst(verdict, mayImprove)
}
