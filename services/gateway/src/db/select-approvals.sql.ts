import { proposalSchema, type Approvable, type Decision, type Tx } from '@ordeal/shared'
import { type ApprovalView } from '../api/contract.js'

interface ApprovalRow {
  proposal_id: string
  phase: string
  what: Approvable
  by_default: 'approve' | 'reject'
  asked_at: Date
  expires_at: Date
  decision: Decision | null
  decided_by: string | null
  decided_at: Date | null
  expired: boolean
  over: boolean
  body: string
  message: string | null
}

function stateOf({ decision, expired, over }: ApprovalRow): ApprovalView['state'] {
  if (decision !== null) return 'decided'
  if (over) return 'over'
  return expired ? 'expired' : 'open'
}

function viewOf(row: ApprovalRow): ApprovalView {
  const { decision, decided_by: by, decided_at: at, message } = row
  return {
    ...proposalSchema.parse(JSON.parse(row.body)),
    proposal: row.proposal_id,
    phase: row.phase,
    state: stateOf(row),
    askedAt: row.asked_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    byDefault: row.by_default,
    answer: decision !== null && at !== null ? { decision, by, at: at.toISOString(), message } : null,
  }
}

/**
 * What people were asked in a cycle and what they decided, in order; only one proposal where `id` is given. What somebody
 * said is shown from the artefact, which has no credentials in it: a moment after the decision.
 */
export async function selectApprovals(tx: Tx, cycleId: string, id: string | null = null): Promise<ApprovalView[]> {
  const rows = await tx.query<ApprovalRow>(
    `select a.proposal_id, a.phase, a.what, a.by_default, a.asked_at, a.expires_at, a.decision, a.decided_by,
       a.decided_at, a.expires_at <= now() as expired, c.status in ('cancelling', 'finished') as over,
       p.body::text as body, said.message
     from shared.approvals a
     join gateway.cycles c using (tenant_id, cycle_id)
     join lateral (
       select body from shared.artefacts p
       where p.tenant_id = a.tenant_id and p.cycle_id = a.cycle_id and p.artefact_id = a.proposal_id
         and p.kind = 'proposal' limit 1
     ) p on true
     left join lateral (
       select s.body ->> 'message' as message from shared.artefacts s
       where s.tenant_id = a.tenant_id and s.cycle_id = a.cycle_id and s.kind = 'approval'
         and s.body ->> 'proposal' = a.proposal_id limit 1
     ) said on true
     where a.cycle_id = $1 and ($2::text is null or a.proposal_id = $2)
     order by a.asked_at, a.proposal_id`,
    [cycleId, id],
  )
  return rows.map(viewOf)
}
