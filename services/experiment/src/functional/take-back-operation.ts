import { type UndoNote } from '@ordeal/shared'
import { type FunctionalRunFault, type RunFault } from '../run/fault.js'
import { type Problem } from '../run/refuse.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { NotUndoneError, openNotes, undo } from '../undo/undo-ledger.js'
import { lookForFunctionalEffects } from './functional-effect.js'

const beginning = ({ place }: FunctionalRunFault): string => `${place.name}: `

/** What the ledger says of the fault: its name, by which it is found again, and what was done. */
export const noteWords = (fault: FunctionalRunFault, what: string): string => `${beginning(fault)}${what}`

/** The open note of a fault; none where nothing stays, or it was undone already. */
export async function noteOf(sandbox: Sandbox, fault: FunctionalRunFault): Promise<UndoNote | undefined> {
  return (await openNotes(sandbox)).find(({ what }) => what.startsWith(beginning(fault)))
}

export interface TakenBack {
  readonly faults: readonly RunFault[]
  readonly problem: Problem | null
}

/** Undoes functional faults, the last first, and verifies it. */
export async function takeBackOperations(sandbox: Sandbox, faults: readonly FunctionalRunFault[]): Promise<TakenBack> {
  const seen = await lookForFunctionalEffects(sandbox, faults)
  for (const fault of seen.toReversed()) {
    const problem = await takeBack(sandbox, fault)
    if (problem) return { faults: seen, problem }
  }
  const recoveredAt = await sandbox.cluster.clock.now()
  return { faults: seen.map((f) => ({ ...f, injection: { ...f.injection, recoveredAt } })), problem: null }
}

async function takeBack(sandbox: Sandbox, fault: FunctionalRunFault): Promise<Problem | null> {
  const note = await noteOf(sandbox, fault)
  if (!note) return null
  try {
    await undo(sandbox, note)
    return null
  } catch (error) {
    if (!(error instanceof NotUndoneError)) throw error
    return { reason: 'not-recovered', message: error.message }
  }
}
