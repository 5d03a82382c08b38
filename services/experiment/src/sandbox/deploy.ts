import { objectIdOf, RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { noteKinds } from '../place/empty.js'
import { isOwn, type Sandbox } from './open-sandbox.js'

const COUNTED_MS = 10_000

/** Thrown when the cluster refuses an object of the application, with the object's id. */
export class ObjectRefusedError extends RefusedError {
  constructor(
    readonly object: string,
    { status, reason, message }: RefusedError,
  ) {
    super(status, reason, `the cluster refuses ${object}: ${message}`)
  }
}

/** Runs a write of one object; a refusal then names the object. */
export async function naming<T>(object: ClusterObject, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw error instanceof RefusedError ? new ObjectRefusedError(objectIdOf(object), error) : error
  }
}

/**
 * Whether an object that is there is the cycle's own. Whatever is in the sandbox was put there by this cycle; what is
 * outside of it must say so.
 */
export const isOurs =
  ({ labels, place }: Pick<Sandbox, 'labels' | 'place'>) =>
  (found: ClusterObject): boolean =>
    (place.mode !== 'in-place' && found.metadata.namespace !== undefined) || isOwn(labels)(found)

/** Creates every object that is not there, in order. What an earlier attempt created is taken as it is. In place it is
 * there already, and nothing is done. */
export async function deploy(sandbox: Sandbox, objects: readonly ClusterObject[]): Promise<void> {
  const { cluster, place } = sandbox
  if (place.mode === 'in-place') return
  await noteKinds(sandbox, objects)
  for (const object of objects) {
    await naming(object, () => cluster.objects.adopt(object, isOurs(sandbox)))
    if (object.kind === 'ResourceQuota') await awaitCounted(sandbox, object)
  }
}

/** A quota limits nothing until it was counted for the first time. */
async function awaitCounted({ cluster, context }: Sandbox, quota: ClusterObject): Promise<void> {
  const { apiVersion, kind, metadata } = quota
  const watch = [await cluster.objects.path({ apiVersion, kind, namespace: metadata.namespace })]
  const check = async () => {
    const live = await cluster.objects.get<ClusterObject & { status?: { hard?: unknown } }>(quota)
    return live?.status?.hard !== undefined || undefined
  }
  try {
    await cluster.clock.waitFor({ what: 'the first count', withinMs: COUNTED_MS, watch, check }, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
}
