import { isDeepStrictEqual } from 'node:util'
import { objectIdOf, type ObjectRef, type Objects } from '@ordeal/kubernetes'
import { z } from 'zod'
import { removeObject } from '../sandbox/remove-object.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'

const refSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
})
const objectSchema = z.looseObject({ ...refSchema.shape, metadata: z.looseObject({ name: z.string() }) })

/** One write that brings something back: as data, so that a process that did not do it can undo it. */
export const undoStepSchema = z.discriminatedUnion('do', [
  /** A JSON merge patch that sets fields to what they were. */
  z.object({ do: z.literal('patch'), ref: refSchema, patch: z.record(z.string(), z.unknown()) }),
  z.object({ do: z.literal('create'), object: objectSchema }),
  z.object({ do: z.literal('remove'), ref: refSchema }),
])
export type UndoStep = z.infer<typeof undoStepSchema>

/** The object that a step writes. */
export const refOf = (step: UndoStep): ObjectRef => (step.do === 'create' ? step.object : step.ref)

/** Plays a step; playing it again changes nothing. Waits, where an object has to go first. */
export async function play(sandbox: Sandbox, step: UndoStep): Promise<void> {
  const { objects } = sandbox.cluster
  if (step.do === 'remove') return removeObject(sandbox, step.ref)
  if (step.do === 'patch') return patch(objects, step)
  const object = step.object
  const found = await objects.get(object)
  if (found && !found.metadata.deletionTimestamp) return
  if (found) await removeObject(sandbox, object)
  await objects.adopt(object, () => true)
}

/** What is gone has no fields to set. */
async function patch(objects: Objects, step: Extract<UndoStep, { do: 'patch' }>): Promise<void> {
  if (await objects.get(step.ref)) await objects.patch(step.ref, step.patch)
}

/** Why a step is not done, in words; null when it is. */
export async function stillToDo({ cluster }: Sandbox, step: UndoStep): Promise<string | null> {
  const ref = refOf(step)
  const found = await cluster.objects.get(ref)
  const id = objectIdOf(ref)
  if (step.do === 'remove') return found ? `${id} is still there` : null
  if (step.do === 'create') return found && !found.metadata.deletionTimestamp ? null : `${id} is not there`
  return !found || holds(found, step.patch) ? null : `${id} is not as it was`
}

/** Whether a merge patch would change nothing. */
function holds(value: unknown, patch: unknown): boolean {
  if (patch === null) return value === undefined || value === null
  // Lists are replaced as a whole; servers write fields in an order of their own.
  if (typeof patch !== 'object' || Array.isArray(patch)) return isDeepStrictEqual(value, patch)
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return Object.entries(patch).every(([key, wanted]) => holds(fields[key], wanted))
}
