import { AbortedError } from '../errors.js'
import { type ServiceName } from '../events/catalogue.js'
import { type ArtefactId } from '../ids.js'
import { addArtefact } from '../store/cycle-documents.js'
import { type Store } from '../store/store.js'
import { type ClaimedPhase } from './claim-phases.js'
import { type StepLedger } from './durable-step.js'

/** Finished steps of a phase in Postgres. Only who holds the phase can record one. */
export function createStepLedger(store: Store, schema: ServiceName, phase: ClaimedPhase): StepLedger {
  const { tenantId, cycleId, revision } = phase
  // Read once: only the holder of the phase adds steps, and that is us for as long as recording succeeds.
  let known: Promise<Map<string, ArtefactId>> | undefined
  const load = async (): Promise<Map<string, ArtefactId>> => {
    const rows = await store.withTenant(tenantId, (tx) =>
      tx.query<{ step: string; artefact_id: ArtefactId }>(
        `select step, artefact_id from ${schema}.steps
         where tenant_id = $1 and cycle_id = $2 and revision = $3 and phase = $4`,
        [tenantId, cycleId, revision, phase.phase],
      ),
    )
    return new Map(rows.map((row) => [row.step, row.artefact_id]))
  }
  const steps = (): Promise<Map<string, ArtefactId>> =>
    (known ??= load().catch((error: unknown) => {
      known = undefined
      throw error
    }))
  return {
    find: async (step) => (await steps()).get(step) ?? null,
    record: async (step, result, documents) => {
      await store.withTenant(tenantId, async (tx) => {
        for (const entry of [...documents, result]) await addArtefact(tx, phase, entry)
        const rows = await tx.query(
          `with held as (
             select 1 from ${schema}.phases where id = $1 and token = $2 and state = 'running' for share
           )
           insert into ${schema}.steps (tenant_id, cycle_id, revision, phase, step, artefact_id)
           select $3, $4, $5, $6, $7, $8 from held
           on conflict do nothing returning 1`,
          [phase.id, phase.token, tenantId, cycleId, revision, phase.phase, step, result.id],
        )
        if (rows.length === 0) throw new AbortedError('lease-lost')
      })
      ;(await steps()).set(step, result.id)
    },
  }
}
