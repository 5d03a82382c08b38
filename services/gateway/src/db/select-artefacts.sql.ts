import { type Tx } from '@ordeal/shared'
import { type ArtefactEntry } from '../api/contract.js'

/** A cycle's documents in order of creation, without their bodies. */
export async function selectArtefacts(tx: Tx, cycleId: string): Promise<ArtefactEntry[]> {
  return tx.query<ArtefactEntry>(
    `select artefact_id as id, kind, name, revision from shared.artefacts where cycle_id = $1 order by sequence`,
    [cycleId],
  )
}

/** The canonical JSON of a document, or null when the cycle has none of this id. */
export async function selectArtefactBody(tx: Tx, cycleId: string, id: string): Promise<string | null> {
  const [row] = await tx.query<{ body: string }>(
    'select body::text as body from shared.artefacts where cycle_id = $1 and artefact_id = $2 limit 1',
    [cycleId, id],
  )
  return row?.body ?? null
}

/** The newest `report` document of this file name, or null. */
export async function selectReport(tx: Tx, cycleId: string, name: string): Promise<string | null> {
  const [row] = await tx.query<{ content: string }>(
    `select body ->> 'content' as content from shared.artefacts
     where cycle_id = $1 and kind = 'report' and name = $2 order by sequence desc limit 1`,
    [cycleId, name],
  )
  return row?.content ?? null
}
