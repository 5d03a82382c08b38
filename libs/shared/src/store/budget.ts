import { type SpendLimits } from '../artefacts/cycle.js'
import { type Budget, type Spend } from '../service/definition.js'
import { type CycleKey } from './cycle-documents.js'
import { type Store } from './store.js'

/** What was spent so far, reservations included, and what the tenant may spend in a month. */
export interface Spent {
  readonly cycle: Spend
  readonly month: Spend
  readonly monthlyTokens: number | null
  readonly monthlyUsd: number | null
}

/** Which limit `most` would pass, in words, or null. */
export function limitPassed(spent: Spent, most: Spend, limits: SpendLimits): string | null {
  const { cycle, month } = spent
  const rules: readonly (readonly [number, number | null, string])[] = [
    [cycle.calls + most.calls, limits.calls, 'requests of this cycle'],
    [cycle.tokens + most.tokens, limits.tokens, 'tokens of this cycle'],
    [cycle.usd + most.usd, limits.usd, 'US dollars of this cycle'],
    [month.tokens + most.tokens, spent.monthlyTokens, 'tokens of the tenant this month'],
    [month.usd + most.usd, spent.monthlyUsd, 'US dollars of the tenant this month'],
  ]
  const passed = rules.find(([sum, limit]) => limit !== null && sum > limit)
  return passed ? `its budget of ${passed[1]} ${passed[2]} would be passed` : null
}

interface Row {
  cycle_calls: string
  cycle_tokens: string
  cycle_usd: string
  month_tokens: string
  month_usd: string
  monthly_tokens: string | null
  monthly_usd: string | null
}

const SPENT = `
  select
    coalesce(sum(u.calls) filter (where u.cycle_id = $2), 0) as cycle_calls,
    coalesce(sum(u.tokens) filter (where u.cycle_id = $2), 0) as cycle_tokens,
    coalesce(sum(u.usd) filter (where u.cycle_id = $2), 0) as cycle_usd,
    coalesce(sum(u.tokens) filter (where u.month = date_trunc('month', now() at time zone 'UTC')), 0) as month_tokens,
    coalesce(sum(u.usd) filter (where u.month = date_trunc('month', now() at time zone 'UTC')), 0) as month_usd,
    (select tokens from shared.model_limits where tenant_id = $1) as monthly_tokens,
    (select usd from shared.model_limits where tenant_id = $1) as monthly_usd
  from shared.model_usage u
  where u.tenant_id = $1 and (u.cycle_id = $2 or u.month = date_trunc('month', now() at time zone 'UTC'))`

const ADD = `
  insert into shared.model_usage (tenant_id, cycle_id, month, calls, tokens, usd)
  values ($1, $2, date_trunc('month', now() at time zone 'UTC'), $3, $4, $5)
  on conflict (tenant_id, cycle_id, month) do update
    set calls = model_usage.calls + excluded.calls, tokens = model_usage.tokens + excluded.tokens,
        usd = model_usage.usd + excluded.usd`

const orNull = (text: string | null): number | null => (text === null ? null : Number(text))

function spentOf(row: Row | undefined): Spent {
  if (!row) throw new Error('an aggregate answered no row')
  const month = { calls: 0, tokens: Number(row.month_tokens), usd: Number(row.month_usd) }
  const cycle = { calls: Number(row.cycle_calls), tokens: Number(row.cycle_tokens), usd: Number(row.cycle_usd) }
  return { cycle, month, monthlyTokens: orNull(row.monthly_tokens), monthlyUsd: orNull(row.monthly_usd) }
}

/** The budget of a cycle on Postgres. Reservations of one tenant take turns, so that no two can share what is left. */
export function createPostgresBudget(store: Store, { tenantId, cycleId }: CycleKey): Budget {
  const add = ({ calls, tokens, usd }: Spend): unknown[] => [tenantId, cycleId, calls, tokens, usd]
  return {
    reserve: (most, limits) =>
      store.withTenant(tenantId, async (tx) => {
        await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`ordeal.models.${tenantId}`])
        const [row] = await tx.query<Row & Record<string, unknown>>(SPENT, [tenantId, cycleId])
        const passed = limitPassed(spentOf(row), most, limits)
        if (passed === null) await tx.query(ADD, add(most))
        return passed
      }),
    settle: (reserved, actual) =>
      store.withTenant(tenantId, async (tx) => {
        const change = {
          calls: actual.calls - reserved.calls,
          tokens: actual.tokens - reserved.tokens,
          usd: actual.usd - reserved.usd,
        }
        await tx.query(ADD, add(change))
      }),
  }
}
