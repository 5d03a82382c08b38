import { type Answer, type ApprovalTerms, type Decision, type Proposal } from '../artefacts/approval.js'
import { type ServiceName } from '../events/catalogue.js'
import { type ArtefactId } from '../ids.js'
import { type CycleKey } from '../store/cycle-documents.js'
import { type Tx } from '../store/tx.js'

/** A proposal as it stands: open, decided, or past its time and neither. */
export interface Standing {
  readonly decision: Decision | null
  readonly by: string | null
  readonly at: Date | null
  readonly expired: boolean
}

/** What is written down of a question. */
export interface Asking {
  readonly id: ArtefactId
  readonly service: ServiceName
  readonly phase: string
  readonly revision: number
  readonly what: Proposal['what']
  readonly terms: ApprovalTerms
}

/** Writes a question down. Answers when its time is up, or null when it had been asked before. */
export async function insertQuestion(tx: Tx, key: CycleKey, asking: Asking): Promise<Date | null> {
  const { id, service, phase, revision, what, terms } = asking
  const [row] = await tx.query<{ expires_at: Date }>(
    `insert into shared.approvals
       (tenant_id, cycle_id, proposal_id, service, phase, revision, what, by_default, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 ms')
     on conflict do nothing returning expires_at`,
    [key.tenantId, key.cycleId, id, service, phase, revision, what, terms.byDefault, terms.timeoutMs],
  )
  return row?.expires_at ?? null
}

/** How a proposal stands; null when it was never asked about. */
export async function selectStanding(tx: Tx, key: CycleKey, id: ArtefactId): Promise<Standing | null> {
  const [row] = await tx.query<Standing>(
    `select decision, decided_by as by, decided_at as at, expires_at <= now() as expired from shared.approvals
     where tenant_id = $1 and cycle_id = $2 and proposal_id = $3`,
    [key.tenantId, key.cycleId, id],
  )
  return row ?? null
}

/** A decision that was taken, and what it was about. */
export interface Decided {
  readonly service: ServiceName
  readonly phase: string
  readonly revision: number
  readonly what: Proposal['what']
  readonly decision: Decision
}

/** A person decides, in time and for the first time; null when it is too late for either reason. */
export async function decide(
  tx: Tx,
  key: CycleKey,
  id: ArtefactId,
  { decision, by }: Pick<Answer, 'decision'> & { readonly by: string },
): Promise<Decided | null> {
  const [row] = await tx.query<Decided>(
    `update shared.approvals set decision = $4, decided_by = $5, decided_at = now()
     where tenant_id = $1 and cycle_id = $2 and proposal_id = $3 and decision is null and expires_at > now()
     returning service, phase, revision, what, decision`,
    [key.tenantId, key.cycleId, id, decision, by],
  )
  return row ?? null
}

/** The default decides once time is up; null when somebody had decided, or there is time left. */
export async function decideByDefault(tx: Tx, key: CycleKey, id: ArtefactId): Promise<Decided | null> {
  const [row] = await tx.query<Decided>(
    `update shared.approvals set decision = by_default, decided_at = now()
     where tenant_id = $1 and cycle_id = $2 and proposal_id = $3 and decision is null and expires_at <= now()
     returning service, phase, revision, what, decision`,
    [key.tenantId, key.cycleId, id],
  )
  return row ?? null
}

/** Milliseconds from now until one of the proposals is decided or past its time; 0 when one is by now. */
export async function selectWaitMs(tx: Tx, key: CycleKey, ids: readonly ArtefactId[]): Promise<number> {
  const [row] = await tx.query<{ ms: number | null }>(
    `select greatest(0, extract(epoch from
       min(case when decision is null then expires_at else now() end) - now()) * 1000)::float8 as ms
     from shared.approvals where tenant_id = $1 and cycle_id = $2 and proposal_id = any($3)`,
    [key.tenantId, key.cycleId, ids],
  )
  return row?.ms ?? 0
}

/** For how long the cycle waited for at least one answer so far, in milliseconds. */
export async function selectWaitedMs(tx: Tx, key: CycleKey): Promise<number> {
  const [row] = await tx.query<{ ms: number }>(
    `select coalesce(sum(extract(epoch from upper(wait) - lower(wait)) * 1000), 0)::float8 as ms
     from unnest((
       select range_agg(tstzrange(asked_at, coalesce(decided_at, now()))) from shared.approvals
       where tenant_id = $1 and cycle_id = $2
     )) as wait`,
    [key.tenantId, key.cycleId],
  )
  return row?.ms ?? 0
}
