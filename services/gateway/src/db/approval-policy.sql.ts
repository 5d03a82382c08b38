import { type Approvable, type TenantId, type Tx } from '@ordeal/shared'
import { type ApprovalPolicy } from '../api/contract.js'

const NONE: ApprovalPolicy = { approve: [], timeoutMs: null, byDefault: 'approve' }

interface PolicyRow {
  readonly approve: Approvable[]
  readonly timeout_ms: string
  readonly by_default: ApprovalPolicy['byDefault']
}

/** What people of the transaction's tenant have to approve; nothing where nobody decided that. */
export async function selectApprovalPolicy(tx: Tx): Promise<ApprovalPolicy> {
  const [row] = await tx.query<PolicyRow>('select approve, timeout_ms, by_default from gateway.approval_policies')
  return row ? { approve: row.approve, timeoutMs: Number(row.timeout_ms), byDefault: row.by_default } : NONE
}

/** How long answers are waited for where the policy says nothing, as where a cycle says nothing. */
const TIMEOUT_MS = 30 * 60_000

/** Writes the tenant's policy in the place of any that it had. */
export async function setApprovalPolicy(tx: Tx, tenant: TenantId, policy: ApprovalPolicy): Promise<void> {
  await tx.query(
    `insert into gateway.approval_policies (tenant_id, approve, timeout_ms, by_default) values ($1, $2, $3, $4)
     on conflict (tenant_id) do update
       set approve = excluded.approve, timeout_ms = excluded.timeout_ms, by_default = excluded.by_default`,
    [tenant, policy.approve, policy.timeoutMs ?? TIMEOUT_MS, policy.byDefault],
  )
}
