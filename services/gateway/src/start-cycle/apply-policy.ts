import { type Approval, type CycleOptions } from '@ordeal/shared'
import { type ApprovalPolicy } from '../api/contract.js'

/**
 * The options of a cycle under its tenant's policy: the cycle may ask for more approvals, never for fewer; of two
 * time-outs the longer holds, and of two defaults a no.
 */
export function underPolicy(options: CycleOptions, policy: ApprovalPolicy): CycleOptions {
  if (policy.approve.length === 0) return options
  const rejects = policy.byDefault === 'reject' || options.approveDefault === 'reject'
  return {
    ...options,
    approve: [...new Set([...policy.approve, ...options.approve])],
    approveTimeoutMs: Math.max(options.approveTimeoutMs, policy.timeoutMs ?? 0),
    approveDefault: rejects ? 'reject' : 'approve',
  }
}

/** Recorded approvals may stand in for people only where the tenant does not want people themselves. */
export const replayable = (recorded: readonly Approval[], { approve }: ApprovalPolicy): Approval[] =>
  recorded.filter(({ what }) => !approve.includes(what))
