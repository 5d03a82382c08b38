import { chaosRef } from '@ordeal/kubernetes'
import { TerminalError } from '@ordeal/shared'
import { ProberLostError } from '../prober/prober-pod.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { type Thread } from './begin-run.js'
import { noteOf } from '../functional/take-back-operation.js'
import { isChaosRunFault, isFunctionalRunFault, type FunctionalRunFault, type RunFault } from './fault.js'

/** Thrown when a run that an earlier attempt began cannot be gone on with as it was planned; it is then begun anew. */
export class ThreadLostError extends TerminalError {
  constructor(why: string) {
    super('thread-lost', why)
  }
}

/** What is done this much later than planned was not done at its time. */
export const LATE_MS = 500

/**
 * Sees to it that a run which an earlier attempt began is as it was left: its prober has measured all the while, and the
 * faults that were in force still are. Throws ThreadLostError.
 */
export async function takeUp(
  sandbox: Sandbox,
  { prober, witness }: Thread,
  inForce: readonly RunFault[],
): Promise<void> {
  try {
    await prober.assertAlive()
    await witness?.assertAlive()
    // The first of the two looks that it takes to compare clocks.
    await prober.samples()
  } catch (error) {
    if (!(error instanceof ProberLostError)) throw error
    throw new ThreadLostError(error.message)
  }
  for (const fault of inForce.filter(isFunctionalRunFault)) await assertStillDone(sandbox, fault)
  for (const { targets, place } of inForce.filter(isChaosRunFault)) {
    const found = await sandbox.cluster.objects.get(chaosRef(targets.fault.kind, place))
    if (found && !found.metadata.deletionTimestamp) continue
    throw new ThreadLostError(`fault ${targets.fault.id} was taken back meanwhile`)
  }
}

/** A restart leaves nothing behind that could have been taken back. */
async function assertStillDone(sandbox: Sandbox, fault: FunctionalRunFault): Promise<void> {
  const { id, action } = fault.targets.fault
  if (action === 'rolling-restart' || (await noteOf(sandbox, fault))) return
  throw new ThreadLostError(`fault ${id} was taken back meanwhile`)
}
