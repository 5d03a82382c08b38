import { isRefused, objectIdOf, RefusedError, type ClusterObject, type Pod } from '@ordeal/kubernetes'
import { noteKinds } from '../place/empty.js'
import { isOurs, naming, ObjectRefusedError } from './deploy.js'
import { removeObject } from './remove-object.js'
import { mergePatch } from './merge-patch.js'
import { type Sandbox } from './open-sandbox.js'
import { isLive } from './owners.js'

/** One difference between what the sandbox holds and the wanted revision. */
type Step =
  | { readonly do: 'create'; readonly object: ClusterObject }
  | { readonly do: 'patch'; readonly object: ClusterObject; readonly patch: Record<string, unknown> }
  | { readonly do: 'recreate'; readonly object: ClusterObject }
  | { readonly do: 'remove'; readonly object: ClusterObject }

/**
 * Brings the sandbox from one revision to another by their differences, and brings back what a fault took for good (a
 * bare Pod). The server checks every change first; its refusal leaves the sandbox as it was. Throws
 * ObjectRefusedError. Can be repeated after a crash.
 */
export async function rollOut(
  sandbox: Sandbox,
  from: readonly ClusterObject[],
  to: readonly ClusterObject[],
): Promise<void> {
  const steps = await differences(sandbox, from, to)
  for (const step of steps) await naming(step.object, () => rehearse(sandbox, step))
  await noteKinds(sandbox, to)
  try {
    await performAll(sandbox, steps)
  } catch (error) {
    if (error instanceof ObjectRefusedError) await performAll(sandbox, await differences(sandbox, to, from))
    throw error
  }
}

async function performAll(sandbox: Sandbox, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await naming(step.object, () => perform(sandbox, step))
}

async function differences(
  sandbox: Sandbox,
  from: readonly ClusterObject[],
  to: readonly ClusterObject[],
): Promise<Step[]> {
  const wanted = new Set(to.map(objectIdOf))
  const earlier = new Map(from.map((o) => [objectIdOf(o), o]))
  const removals = from.filter((o) => !wanted.has(objectIdOf(o))).map((object): Step => ({ do: 'remove', object }))
  if (sandbox.place.mode === 'in-place') refuseLoss(removals)
  const rest: Step[] = []
  for (const object of to) {
    const step = await differenceOf(sandbox, earlier.get(objectIdOf(object)), object)
    if (step) rest.push(step)
  }
  return [...removals, ...rest]
}

function refuseForeign(sandbox: Sandbox, live: ClusterObject): void {
  if (isOurs(sandbox)(live)) return
  const message = 'it is there already and was not made by this cycle'
  throw new ObjectRefusedError(objectIdOf(live), new RefusedError(409, 'AlreadyExists', message))
}

/** What was there can be put back, but not what a claim held. */
function refuseLoss(removals: readonly Step[]): void {
  const claim = removals.find(({ object }) => object.kind === 'PersistentVolumeClaim')
  if (!claim) return
  const refusal = new RefusedError(403, 'WouldLoseData', 'in place no claim is removed: its data could not be put back')
  throw new ObjectRefusedError(objectIdOf(claim.object), refusal)
}

async function differenceOf(
  sandbox: Sandbox,
  earlier: ClusterObject | undefined,
  object: ClusterObject,
): Promise<Step | null> {
  const live = await sandbox.cluster.objects.get(object)
  if (!live) return { do: 'create', object }
  if (!(sandbox.place.mode === 'in-place' && earlier)) refuseForeign(sandbox, live)
  if (object.kind === 'Pod' && !isLive(live as Pod)) return { do: 'recreate', object }
  const patch = mergePatch(earlier ?? {}, object)
  if (!patch) return null
  // Hardly a field of a Pod or a Job may change once it is there.
  return object.kind === 'Pod' || object.kind === 'Job' ? { do: 'recreate', object } : { do: 'patch', object, patch }
}

async function rehearse({ cluster }: Sandbox, step: Step): Promise<void> {
  if (step.do === 'patch') await cluster.objects.patch(step.object, step.patch, { dryRun: true })
  if (step.do === 'create') await cluster.objects.create(step.object, { dryRun: true })
  if (step.do === 'recreate') await rehearseRecreation(step.object, (o) => cluster.objects.create(o, { dryRun: true }))
}

/** A dry run of a creation under a name that is taken says 409 once everything else about the object is right. */
async function rehearseRecreation(
  object: ClusterObject,
  create: (object: ClusterObject) => Promise<unknown>,
): Promise<void> {
  try {
    await create(object)
  } catch (error) {
    if (!isRefused(error, 409)) throw error
  }
}

async function perform(sandbox: Sandbox, step: Step): Promise<void> {
  const { objects } = sandbox.cluster
  if (step.do === 'remove' || step.do === 'recreate') await removeObject(sandbox, step.object)
  if (step.do === 'create' || step.do === 'recreate') await objects.adopt(step.object, isOurs(sandbox))
  if (step.do === 'patch') await objects.patch(step.object, step.patch)
}
