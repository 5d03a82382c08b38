import { type CycleKey, type Tx } from '@ordeal/shared'

/** How long a key is remembered. */
const LIFETIME = '24 hours'

/** The request that holds an Idempotency-Key. */
export interface KeyHolder {
  readonly cycleId: string
  readonly bodyHash: Buffer
}

/**
 * Takes a key for a new cycle. Answers null when it was free, else who holds it. While another transaction takes the
 * same key this one waits, so that two requests at once still start one cycle.
 */
export async function claimIdempotencyKey(
  tx: Tx,
  { tenantId, cycleId }: CycleKey,
  key: string,
  bodyHash: Buffer,
): Promise<KeyHolder | null> {
  await tx.query(`delete from gateway.idempotency_keys where created_at < now() - interval '${LIFETIME}'`)
  const taken = await tx.query<{ key: string }>(
    `insert into gateway.idempotency_keys (tenant_id, key, body_hash, cycle_id) values ($1, $2, $3, $4)
     on conflict (tenant_id, key) do nothing returning key`,
    [tenantId, key, bodyHash, cycleId],
  )
  if (taken.length) return null
  const [holder] = await tx.query<{ cycle_id: string; body_hash: Buffer }>(
    'select cycle_id, body_hash from gateway.idempotency_keys where tenant_id = $1 and key = $2',
    [tenantId, key],
  )
  return holder ? { cycleId: holder.cycle_id, bodyHash: holder.body_hash } : null
}
