import {
  CHAOS_API,
  CHAOS_KINDS,
  chaosRef,
  isRefused,
  podsInReach,
  wasNeverInjected,
  type ChaosObject,
  type ClusterObject,
  type ObjectRef,
  type Objects,
} from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { isLive, listPods } from '../sandbox/owners.js'
import { takeBackOperations } from '../functional/take-back-operation.js'
import { type ChaosRunFault, chaosPaths, isChaosRunFault, isFunctionalRunFault, type RunFault } from './fault.js'
import { type Problem } from './refuse.js'

/** Recovery takes a moment for each target; what takes longer than this hangs. */
const RECOVER_MS = 60_000
/** What was never injected is let go after this. */
const GENTLE_MS = 10_000

export interface Removed {
  readonly faults: readonly RunFault[]
  readonly problem: Problem | null
}

/** Takes faults back at once and verifies it. */
export async function removeFaults(sandbox: Sandbox, faults: readonly RunFault[]): Promise<Removed> {
  const chaos = await removeChaos(sandbox, faults.filter(isChaosRunFault))
  const functional = await takeBackOperations(sandbox, faults.filter(isFunctionalRunFault))
  return { faults: [...chaos.faults, ...functional.faults], problem: chaos.problem ?? functional.problem }
}

/** Removes faults at once and verifies, by their finalizers, that Chaos Mesh has undone them. */
async function removeChaos(sandbox: Sandbox, faults: readonly ChaosRunFault[]): Promise<Removed> {
  const { cluster } = sandbox
  const refs = faults.map(({ targets, place }) => chaosRef(targets.fault.kind, place))
  const left = await endFaults(sandbox, refs)
  const recoveredAt = left.length ? null : await cluster.clock.now()
  return {
    faults: faults.map((f) => ({ ...f, injection: { ...f.injection, recoveredAt } })),
    problem: left.length ? notRecovered(left) : null,
  }
}

/** Removes every fault of the cycle, whichever attempt made it. Returns what is left of them after the deadline. */
export async function removeLeftovers(sandbox: Sandbox): Promise<readonly ClusterObject[]> {
  return endFaults(sandbox, await listFaults(sandbox.cluster.objects, sandbox))
}

/**
 * Removes faults and waits until they are gone. Chaos Mesh keeps an object whose fault it cannot undo, also when there is
 * nothing to undo since it never came to inject it: that one is let go, and the pods that it was meant for are replaced,
 * since half of an injection may be left in them, or come later from a daemon that was away.
 */
async function endFaults(sandbox: Sandbox, faults: readonly ObjectRef[]): Promise<readonly ChaosObject[]> {
  const { objects } = sandbox.cluster
  if (faults.length === 0) return []
  for (const fault of faults) await objects.remove(fault)
  const hanging = await awaitGone(sandbox, faults, GENTLE_MS)
  if (hanging.length === 0) return []
  const never = hanging.filter(wasNeverInjected)
  for (const fault of never) {
    await objects.patch(fault, { metadata: { finalizers: null } }).catch(unlessGone)
  }
  const left = await awaitGone(sandbox, hanging, RECOVER_MS - GENTLE_MS)
  if (never.length) await replacePods(sandbox, never)
  return left
}

async function replacePods(sandbox: Sandbox, faults: readonly ChaosObject[]): Promise<void> {
  const { cluster, context, namespace } = sandbox
  const all = (await listPods(sandbox)).filter(isLive)
  const names = new Set(faults.flatMap((fault) => podsInReach(fault, all)))
  for (const name of names)
    await cluster.objects.remove({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } })
  const pods = [...names].join(', ')
  context.progress({
    kind: 'fault',
    message: `a fault was let go that never came about; its targets are replaced: ${pods}`,
  })
}

function unlessGone(error: unknown): void {
  if (!isRefused(error, 404)) throw error
}

/**
 * Lets every fault of the cycle go whose pods have all ended: they lived in the pods, whatever Chaos Mesh makes of it.
 * To be called when the sandbox is being removed, and nothing comes up in it again.
 */
export async function letGoOfFaults(sandbox: Sandbox): Promise<void> {
  const { objects } = sandbox.cluster
  const pods = await listPods(sandbox)
  if (pods.length) return
  for (const fault of await listFaults(objects, sandbox)) {
    await objects.patch(fault, { metadata: { finalizers: null } }).catch(unlessGone)
  }
}

export async function listFaults(
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

/** What of these is still there after `withinMs`. */
async function awaitGone(
  { cluster, context, namespace }: Sandbox,
  faults: readonly ObjectRef[],
  withinMs: number,
): Promise<readonly ChaosObject[]> {
  let left: ChaosObject[] = []
  const kinds = faults.map((f) => f.kind)
  const watch = await chaosPaths(cluster.objects, kinds, namespace)
  const check = async () => {
    const found = await Promise.all(faults.map((ref) => cluster.objects.get<ChaosObject>(ref)))
    left = found.filter((fault) => fault !== null)
    return left.length === 0 || undefined
  }
  try {
    await cluster.clock.waitFor({ what: 'the removal of all faults', withinMs, watch, check }, context.signal)
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
