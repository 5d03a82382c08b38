import { type TenantId, type Tx } from '@ordeal/shared'

/** Unfinished cycles that a tenant may have when nobody decided otherwise. */
const ACTIVE_CYCLES = 1000

/** How a tenant stands with its quota. */
export interface QuotaUse {
  readonly active: number
  readonly limit: number
}

/**
 * Counts the tenant's unfinished cycles, those of this transaction too. Starts of one tenant take turns from here to
 * their commit, so that two at once cannot both be the last that fits: make it the last statement.
 */
export async function countActiveCycles(tx: Tx, tenantId: TenantId): Promise<QuotaUse> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`ordeal.quota.${tenantId}`])
  const [row] = await tx.query<{ active: string; limit: number }>(
    `select (select count(*) from gateway.cycles where tenant_id = $1 and status <> 'finished') as active,
       coalesce((select active_cycles from gateway.quotas where tenant_id = $1), $2) as "limit"`,
    [tenantId, ACTIVE_CYCLES],
  )
  return { active: Number(row?.active ?? 0), limit: row?.limit ?? ACTIVE_CYCLES }
}

/** Sets how many unfinished cycles a tenant may have. */
export async function setActiveCycles(tx: Tx, tenantId: TenantId, limit: number): Promise<void> {
  await tx.query(
    `insert into gateway.quotas (tenant_id, active_cycles) values ($1, $2)
     on conflict (tenant_id) do update set active_cycles = excluded.active_cycles`,
    [tenantId, limit],
  )
}
