import { type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { listFaults } from '../run/remove-faults.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { openNotes, stepsOf } from './undo-ledger.js'

/**
 * Does something to a cluster that must not stay when it cannot be gone on with: faults are taken back and what was noted
 * is undone, as far as that goes without waiting. Who takes up the phase or cleans up verifies it.
 */
export async function takingBack<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Whatever cannot be taken back now is found later; the error says more.
    if (holdsCluster(sandbox)) await takeBack(sandbox).catch(() => undefined)
    throw error
  }
}

/** False when another runner has taken over: it goes on with what it finds, or removes it, and two must not. */
const holdsCluster = ({ context: { signal } }: Sandbox): boolean =>
  !(signal.aborted && (signal.reason as { code?: string }).code === 'aborted-lease-lost')

async function takeBack(sandbox: Sandbox): Promise<void> {
  const { undo } = sandbox
  const faults: ClusterObject[] = await listFaults(undo, sandbox)
  for (const fault of faults) await undo.remove(fault)
  await undoAtOnce(sandbox, undo)
}

async function undoAtOnce(sandbox: Sandbox, objects: Objects): Promise<void> {
  for (const note of await openNotes(sandbox)) {
    for (const step of await stepsOf(sandbox, note)) {
      if (step.do === 'patch') await objects.patch(step.ref, step.patch)
    }
  }
}
