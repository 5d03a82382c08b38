import { type CycleKey, type Tx } from '@ordeal/shared'

/** Marks a cycle as being cancelled. Answers false when it was marked before, or is finished. */
export async function markCancelling(tx: Tx, { tenantId, cycleId }: CycleKey): Promise<boolean> {
  const rows = await tx.query<{ cycle_id: string }>(
    `update gateway.cycles set status = 'cancelling', updated_at = now()
     where tenant_id = $1 and cycle_id = $2 and status in ('queued', 'running') returning cycle_id`,
    [tenantId, cycleId],
  )
  return rows.length > 0
}
