import { cycleId, type Tx } from '@ordeal/shared'
import { type CycleView } from '../api/contract.js'
import { ProblemError } from '../api/problems.js'
import { selectCycle } from '../db/select-cycles.sql.js'

/** The tenant's cycle. Throws ProblemError `not-found`, also for one of another tenant: that it exists is none's business. */
export async function requireCycle(tx: Tx, id: string): Promise<CycleView> {
  const cycle = cycleId.safeParse(id).success ? await selectCycle(tx, id) : null
  if (!cycle) throw new ProblemError('not-found', `There is no cycle ${id.slice(0, 64)}`)
  return cycle
}
