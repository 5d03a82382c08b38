import { type CycleKey, type Tx } from '@ordeal/shared'

/** Adds a queued cycle, and its project when it is the first one of it. */
export async function insertCycle(tx: Tx, key: CycleKey, about: { project: string; optionsId: string }): Promise<void> {
  await tx.query(
    `with project as (insert into gateway.projects (tenant_id, name) values ($1, $3) on conflict do nothing)
     insert into gateway.cycles (tenant_id, cycle_id, project, status, last_event, options_id)
     values ($1, $2, $3, 'queued', 'cycle.requested', $4)`,
    [key.tenantId, key.cycleId, about.project, about.optionsId],
  )
}
