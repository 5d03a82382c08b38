import { type ServiceName } from '../events/catalogue.js'
import { type CycleId, type MessageId, type TenantId } from '../ids.js'
import { type Tx } from '../store/tx.js'

/** A phase that this process holds. */
export interface ClaimedPhase {
  readonly id: string
  readonly tenantId: TenantId
  readonly cycleId: CycleId
  readonly revision: number
  readonly phase: string
  readonly final: boolean
  readonly input: Record<string, unknown>
  readonly correlationId: string
  readonly causationId: MessageId | null
  readonly traceparent: string
  /** Attempts that ended in a failure so far. */
  readonly failures: number
  /** Attempts whose holder vanished so far. */
  readonly lostLeases: number
  /** Fencing token of this claim. */
  readonly token: string
}

export interface ClaimRequest {
  /** Who claims, for people who look at the table. */
  readonly owner: string
  readonly leaseMs: number
  /** How many ordinary phases at most. */
  readonly slots: number
  /** How many final ones at most. */
  readonly finalSlots: number
  /** How many of one tenant may run at once in all replicas; final phases are not held to it. */
  readonly tenantCap: number
}

/**
 * Claimers of one service take turns (see Store.withPlumbing), for a few milliseconds each: the caps and "one running
 * phase per cycle" are read and then acted upon, which two at once would get wrong.
 */
export const claimTurnOf = (schema: ServiceName): string => `ordeal.claim.${schema}`

/**
 * Claims queued phases that are due: the tenants in turn, those with fewer running phases first, and one phase of a
 * cycle at a time. Call it in the claimers' turn.
 */
export function claimPhases(tx: Tx, schema: ServiceName, request: ClaimRequest): Promise<ClaimedPhase[]> {
  return tx.query<ClaimedPhase>(
    `with running as (
       select tenant_id, count(*) as phases from ${schema}.phases where state = 'running' group by tenant_id
     ),
     waiting as (
       select distinct tenant_id, final from ${schema}.phases where state = 'queued' and run_after <= now()
     ),
     candidates as (
       select due.id, w.final, coalesce(r.phases, 0)
         + row_number() over (partition by w.tenant_id, w.final order by due.run_after, due.id) as turn
       from waiting w
       left join running r using (tenant_id)
       cross join lateral (
         select q.id, q.run_after from ${schema}.phases q
         where q.tenant_id = w.tenant_id and q.final = w.final and q.state = 'queued' and q.run_after <= now()
           and not exists (
             select from ${schema}.phases other
             where other.tenant_id = q.tenant_id and other.cycle_id = q.cycle_id
               and (other.state = 'running'
                 or (other.state = 'queued' and other.run_after <= now()
                   and (other.final, -other.id) > (q.final, -q.id)))
           )
         order by q.run_after, q.id limit case when w.final then $4::bigint else $3::bigint end
       ) due
     ),
     chosen as (
       select id, row_number() over (partition by final order by turn, id) as place, final
       from candidates where final or turn <= $5
     ),
     locked as (
       select p.id from ${schema}.phases p join chosen c using (id)
       where c.place <= case when c.final then $4::bigint else $3::bigint end
       for update of p skip locked
     )
     update ${schema}.phases p
     set state = 'running', token = p.token + 1, lease_owner = $1,
         lease_until = now() + $2 * interval '1 ms', started_at = coalesce(p.started_at, now())
     from locked where p.id = locked.id
     returning p.id, p.tenant_id as "tenantId", p.cycle_id as "cycleId", p.revision, p.phase, p.final, p.input,
       p.correlation_id as "correlationId", p.causation_id as "causationId", p.traceparent, p.failures,
       p.lost_leases as "lostLeases", p.token`,
    [request.owner, request.leaseMs, request.slots, request.finalSlots, request.tenantCap],
  )
}

/**
 * Takes phases back whose lease ran out: queued again, or cancelled where that was asked for. Answers how many. The
 * token stays; the next claim raises it, and the guard on the state fences the old holder off meanwhile.
 */
export async function reapExpired(tx: Tx, schema: ServiceName): Promise<number> {
  const rows = await tx.query(
    `with expired as (
       select id from ${schema}.phases where state = 'running' and lease_until < now() for update skip locked
     )
     update ${schema}.phases p
     set state = case when p.cancel_requested and not p.final then 'cancelled' else 'queued' end,
         ended_at = case when p.cancel_requested and not p.final then now() end,
         lost_leases = p.lost_leases + 1, lease_owner = null, lease_until = null
     from expired where p.id = expired.id
     returning p.id`,
  )
  return rows.length
}

/** The heartbeat of phases held by this process: which are still held, and whether one was cancelled. */
export function extendLeases(
  tx: Tx,
  schema: ServiceName,
  held: readonly { readonly id: string; readonly token: string }[],
  leaseMs: number,
): Promise<{ id: string; cancelled: boolean }[]> {
  return tx.query(
    `update ${schema}.phases p set lease_until = now() + $3 * interval '1 ms'
     from unnest($1::bigint[], $2::bigint[]) as held (id, token)
     where p.id = held.id and p.token = held.token and p.state = 'running'
     returning p.id, p.cancel_requested and not p.final as cancelled`,
    [held.map((h) => h.id), held.map((h) => h.token), leaseMs],
  )
}
