import { type TenantId, type Tx } from '@ordeal/shared'
import { type ModelView } from '../api/contract.js'

/** A tenant's endpoint as it is written down; `sealed` is what opens it. */
export interface ModelRecord {
  readonly baseUrl: string
  readonly model: string
  readonly sealed: Buffer
}

/** Writes the tenant's endpoint in the place of any that it had. */
export async function upsertModel(tx: Tx, tenant: TenantId, { baseUrl, model, sealed }: ModelRecord): Promise<void> {
  await tx.query(
    `insert into gateway.models (tenant_id, base_url, model, sealed) values ($1, $2, $3, $4)
     on conflict (tenant_id) do update
       set base_url = excluded.base_url, model = excluded.model, sealed = excluded.sealed, created_at = now()`,
    [tenant, baseUrl, model, sealed],
  )
}

/** What opens the tenant's endpoint, sealed; null where it has none. */
export async function selectSealedModel(tx: Tx): Promise<Buffer | null> {
  const [row] = await tx.query<{ sealed: Buffer }>('select sealed from gateway.models')
  return row?.sealed ?? null
}

/** False where the tenant has none. */
export async function deleteModel(tx: Tx): Promise<boolean> {
  return (await tx.query('delete from gateway.models returning 1')).length > 0
}

interface ViewRow {
  base_url: string | null
  model: string | null
  tokens: string
  usd: number
  max_tokens: string | null
  max_usd: number | null
}

/** The tenant's endpoint without what opens it, and what models have cost it this calendar month (UTC). */
export async function selectModel(tx: Tx, tenant: TenantId): Promise<ModelView> {
  const [row] = await tx.query<ViewRow & Record<string, unknown>>(
    `select m.base_url, m.model, l.tokens as max_tokens, l.usd as max_usd,
       coalesce(u.tokens, 0) as tokens, coalesce(u.usd, 0) as usd
     from (select 1) one
       left join gateway.models m on m.tenant_id = $1
       left join shared.model_limits l on l.tenant_id = $1
       left join (
         select sum(tokens) as tokens, sum(usd) as usd from shared.model_usage
         where tenant_id = $1 and month = date_trunc('month', now() at time zone 'UTC')
       ) u on true`,
    [tenant],
  )
  if (!row) throw new Error('a join of single rows answered none')
  const { base_url: baseUrl, model, tokens, usd, max_tokens: most, max_usd: mostUsd } = row
  return {
    endpoint: baseUrl !== null && model !== null ? { baseUrl, model } : null,
    month: { tokens: Number(tokens), usd: Number(usd) },
    limits: { tokens: most === null ? null : Number(most), usd: mostUsd },
  }
}

/** Sets what the tenant may spend on models in a month; null for no limit of that kind. */
export async function setModelLimits(tx: Tx, tenant: TenantId, limits: ModelView['limits']): Promise<void> {
  await tx.query(
    `insert into shared.model_limits (tenant_id, tokens, usd) values ($1, $2, $3)
     on conflict (tenant_id) do update set tokens = excluded.tokens, usd = excluded.usd`,
    [tenant, limits.tokens, limits.usd],
  )
}
