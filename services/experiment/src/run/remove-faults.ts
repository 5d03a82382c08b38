import { CHAOS_API, CHAOS_KINDS, chaosRef, isRefused, type ClusterObject, type Objects } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { chaosPaths, type RunFault } from './fault.js'
import { type Problem } from './refuse.js'

/** Recovery takes a moment for each target; what takes longer than this hangs. */
const RECOVER_MS = 60_000

export interface Removed {
  readonly faults: readonly RunFault[]
  readonly problem: Problem | null
}

/** Removes faults at once and verifies, by their finalizers, that Chaos Mesh has undone them. */
export async function removeFaults(sandbox: Sandbox, faults: readonly RunFault[]): Promise<Removed> {
  const { cluster, namespace } = sandbox
  const refs = faults.map(({ targets, place }) => chaosRef(targets.fault.kind, place))
  for (const ref of refs) await cluster.objects.remove(ref)
  const kinds = faults.map((f) => f.targets.fault.kind)
  const left = await awaitGone(sandbox, await chaosPaths(cluster.objects, kinds, namespace), async () => {
    const found = await Promise.all(refs.map((ref) => cluster.objects.get(ref)))
    return found.filter((o) => o !== null)
  })
  const recoveredAt = left.length ? null : await cluster.clock.now()
  return {
    faults: faults.map((f) => ({ ...f, injection: { ...f.injection, recoveredAt } })),
    problem: left.length ? notRecovered(left) : null,
  }
}

/** Removes every fault of the cycle, whichever attempt made it. Returns what is left of them after the deadline. */
export async function removeLeftovers(sandbox: Sandbox): Promise<readonly ClusterObject[]> {
  const { cluster, namespace } = sandbox
  const found = await listFaults(cluster.objects, sandbox)
  if (found.length === 0) return []
  for (const fault of found) await cluster.objects.remove(fault)
  const kinds = found.map((f) => f.kind)
  const watch = await chaosPaths(cluster.objects, kinds, namespace)
  return awaitGone(sandbox, watch, () => listFaults(cluster.objects, sandbox))
}

/** Asks for the removal of every fault of the cycle without waiting for it: the last act of a phase that is aborted. */
export async function takeBackFaults({ undo, ...sandbox }: Sandbox): Promise<void> {
  for (const fault of await listFaults(undo, sandbox)) await undo.remove(fault)
}

async function listFaults(
  objects: Objects,
  { namespace, labels }: Pick<Sandbox, 'namespace' | 'labels'>,
): Promise<ClusterObject[]> {
  const found: ClusterObject[] = []
  for (const kind of CHAOS_KINDS) {
    found.push(...(await orNone(objects.list({ apiVersion: CHAOS_API, kind, namespace, labels }))))
  }
  return found
}

/** A cluster without Chaos Mesh has no faults. */
async function orNone(objects: Promise<ClusterObject[]>): Promise<ClusterObject[]> {
  try {
    return await objects
  } catch (error) {
    if (isRefused(error, 404)) return []
    throw error
  }
}

async function awaitGone(
  { cluster, context }: Sandbox,
  watch: readonly string[],
  find: () => Promise<ClusterObject[]>,
): Promise<readonly ClusterObject[]> {
  let left: ClusterObject[] = []
  const check = async () => {
    left = await find()
    return left.length === 0 || undefined
  }
  try {
    await cluster.clock.waitFor(
      { what: 'the removal of all faults', withinMs: RECOVER_MS, watch, check },
      context.signal,
    )
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return left
}

export function notRecovered(left: readonly ClusterObject[]): Problem {
  const names = left.map((o) => `${o.kind}/${o.metadata.name}`).join(', ')
  return {
    reason: 'not-recovered',
    message: `Chaos Mesh has not undone ${names} within ${RECOVER_MS / 1000} s; the namespace must not be used any more`,
  }
}
