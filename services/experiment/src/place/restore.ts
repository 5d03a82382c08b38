import { isRefused, objectIdOf, type ClusterObject } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { awaitReady } from '../sandbox/await-ready.js'
import { mergePatch } from '../sandbox/merge-patch.js'
import { CYCLE_LABEL, type Sandbox } from '../sandbox/open-sandbox.js'
import { readKinds } from './empty.js'
import { JOURNAL } from './journal.js'
import { asNew, stateOf } from './live-state.js'
import { SANDBOX_RIGHTS } from './rights.js'

const RESTORE_MS = 180_000
const LOOK_MS = 1000
/** Hardly a field of theirs may change once they are there. */
const UNCHANGING = new Set(['Pod', 'Job'])

/**
 * Puts a namespace back into what it was: `states` as they were, nothing of the cycle's own left, all ready again.
 * Returns what did not come about in time, in sentences. Can be repeated.
 */
export async function restore(sandbox: Sandbox, states: readonly ClusterObject[]): Promise<string[]> {
  const { cluster, context, namespace, podsPath } = sandbox
  let open: string[] = []
  const check = async () => {
    open = [...(await removeOwn(sandbox, states)), ...(await putBack(sandbox, states))]
    return open.length === 0 || undefined
  }
  try {
    const what = `namespace ${namespace} as it was`
    await cluster.clock.waitFor(
      { what, withinMs: RESTORE_MS, watch: [podsPath], everyMs: LOOK_MS, check },
      context.signal,
    )
    await awaitReady(sandbox, states)
    return []
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    return open.length ? open : [`everything is as it was, but ${error.message}`]
  }
}

/** Asks for the end of what the cycle made in the namespace. Returns what is still there. */
async function removeOwn(sandbox: Sandbox, states: readonly ClusterObject[]): Promise<string[]> {
  const { cluster, labels, namespace } = sandbox
  const own = { [CYCLE_LABEL]: labels[CYCLE_LABEL] ?? '' }
  const kinds = new Map(
    [...SANDBOX_RIGHTS, ...states, ...(await readKinds(sandbox))].map(({ apiVersion, kind }) => [
      `${apiVersion} ${kind}`,
      { apiVersion, kind },
    ]),
  )
  const lists = [...kinds.values()].map((kind) => orNone(cluster.objects.list({ ...kind, namespace, labels: own })))
  const kept = new Set([`Secret/${JOURNAL}`, ...states.map(objectIdOf)])
  const found = (await Promise.all(lists)).flat().filter((object) => !kept.has(objectIdOf(object)))
  for (const object of found) if (!object.metadata.deletionTimestamp) await cluster.objects.remove(object)
  return found.map((object) => `${objectIdOf(object)} did not go`)
}

/** Undoes each difference to what was there. Returns the differences that it met. */
async function putBack({ cluster }: Sandbox, states: readonly ClusterObject[]): Promise<string[]> {
  const { objects } = cluster
  const met: string[] = []
  for (const state of states) {
    const live = await objects.get(state)
    const patch = live && mergePatch(stateOf(live), state)
    if (live && !patch) continue
    met.push(`${objectIdOf(state)} is not as it was`)
    if (!live) await objects.create(asNew(state))
    else if (live.metadata.deletionTimestamp) continue
    else if (UNCHANGING.has(state.kind) && patch && 'spec' in patch) await objects.remove(live)
    else await objects.patch(state, patch)
  }
  return met
}

async function orNone(objects: Promise<ClusterObject[]>): Promise<ClusterObject[]> {
  try {
    return await objects
  } catch (error) {
    if (isRefused(error, 404)) return []
    throw error
  }
}
