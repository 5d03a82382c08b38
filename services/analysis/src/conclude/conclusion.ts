import { type Outcome, type Reason, type Verdict } from '@ordeal/shared'

/** How a cycle ends, before its results are written down. `reason` is a code where the outcome is no verdict. */
export interface Conclusion {
  readonly outcome: Outcome
  readonly reason: string | null
  readonly message: string | null
}

/**
 * Codes of phases that ended for good because nothing could be proved, rather than because something broke, and the reason
 * that each is. What a cluster makes of what it is given (no node has room, a quota, a webhook, an image that is not to be
 * had) is of this kind: the same cycle may well come to a verdict on another day.
 */
const UNPROVEN: ReadonlyMap<string, Reason> = new Map([
  ['baseline-broken', 'baseline-broken'],
  ['no-checks', 'no-checks'],
  ['deadline', 'deadline'],
  ['not-settled', 'not-settled'],
  ['not-injected', 'not-injected'],
  ['not-recovered', 'not-recovered'],
  ['prober-lost', 'prober-lost'],
  ['refused-by-cluster', 'rejected-by-cluster'],
  ['not-approved', 'not-approved'],
])

/** What a phase that failed for good makes of the cycle. */
export function afterFailure(code: string, message: string): Conclusion {
  const unproven = UNPROVEN.get(code)
  return { outcome: unproven ? 'inconclusive' : 'failed', reason: unproven ?? code, message }
}

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
