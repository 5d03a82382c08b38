import { objectIdOf, RefusedError, type ClusterObject } from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { removeObject } from '../sandbox/remove-object.js'
import { type Sandbox } from '../sandbox/open-sandbox.js'
import { noteUndo, undo, type Undoable } from '../undo/undo-ledger.js'
import { type ControlTarget } from './group-targets.js'

/** A target that does not work any more, or soon will not. */
export interface Broken {
  /** What was done, in words. */
  readonly how: string
  /** Waits until it is broken indeed. Throws DeadlineError. */
  readonly ended: () => Promise<void>
  readonly restore: () => Promise<void>
}

const SCALABLE = new Set(['Deployment', 'ReplicaSet', 'StatefulSet'])
const BROKEN_LABEL = 'ordeal.dev/broken'
const GONE_MS = 120_000

/**
 * Breaks a target for real: its workloads scaled to nothing, its bare pods deleted, or else its service's selector made
 * to match nothing. Null when none of these can be done.
 */
export async function breakTarget(
  sandbox: Sandbox,
  target: ControlTarget,
  objects: readonly ClusterObject[],
): Promise<Broken | null> {
  const find = (id: string) => objects.find((o) => objectIdOf(o) === id)
  const workloads = target.workloads.flatMap((id) => find(id) ?? [])
  const breakable = workloads.length > 0 && workloads.every((o) => SCALABLE.has(o.kind) || o.kind === 'Pod')
  if (breakable) return breakWorkloads(sandbox, workloads)
  const service = target.service === null ? undefined : find(target.service)
  return service ? breakSelector(sandbox, service) : null
}

async function breakWorkloads(sandbox: Sandbox, workloads: readonly ClusterObject[]): Promise<Broken> {
  const broken: Broken[] = []
  for (const workload of workloads) {
    broken.push(workload.kind === 'Pod' ? await breakPod(sandbox, workload) : await breakController(sandbox, workload))
  }
  return {
    how: broken.map((b) => b.how).join(', '),
    ended: async () => {
      for (const { ended } of broken) await ended()
    },
    restore: async () => {
      for (const { restore } of broken) await restore()
    },
  }
}

/** How to bring it back is written down before it is done. */
async function breakBy(
  sandbox: Sandbox,
  { what, steps }: Undoable,
  { act, ended }: { act: () => Promise<unknown>; ended: () => Promise<void> },
): Promise<Broken> {
  const note = await noteUndo(sandbox, { what, steps })
  await act()
  return { how: what, ended, restore: () => undo(sandbox, note) }
}

function breakPod(sandbox: Sandbox, pod: ClusterObject): Promise<Broken> {
  const undoable: Undoable = { what: `${objectIdOf(pod)} deleted`, steps: [{ do: 'create', object: pod }] }
  return breakBy(sandbox, undoable, {
    act: () => sandbox.cluster.objects.remove(pod),
    ended: () => removeObject(sandbox, pod),
  })
}

function breakController(sandbox: Sandbox, controller: ClusterObject): Promise<Broken> {
  const { replicas = 1 } = controller.spec as { replicas?: number }
  const undoable: Undoable = {
    what: `${objectIdOf(controller)} scaled to 0`,
    steps: [{ do: 'patch', ref: refTo(controller), patch: { spec: { replicas } } }],
  }
  return breakBy(sandbox, undoable, {
    act: () => sandbox.cluster.objects.patch(controller, { spec: { replicas: 0 } }),
    ended: () => awaitNoPods(sandbox, controller),
  })
}

const refTo = ({ apiVersion, kind, metadata: { name, namespace } }: ClusterObject) => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
})

async function awaitNoPods(sandbox: Sandbox, controller: ClusterObject): Promise<void> {
  const { cluster, context, podsPath } = sandbox
  const what = `the end of all pods of ${objectIdOf(controller)}`
  const check = async () => ((await hasPods(sandbox, controller)) ? undefined : true)
  await cluster.clock.waitFor({ what, withinMs: GONE_MS, watch: [podsPath], check }, context.signal)
}

async function hasPods({ cluster, namespace }: Sandbox, controller: ClusterObject): Promise<boolean> {
  const labels = (controller.spec as { selector?: { matchLabels?: Record<string, string> } }).selector?.matchLabels
  return (await cluster.objects.list({ apiVersion: 'v1', kind: 'Pod', namespace, labels })).length > 0
}

function breakSelector(sandbox: Sandbox, service: ClusterObject): Promise<Broken> {
  const setLabel = (value: string | null) => ({ spec: { selector: { [BROKEN_LABEL]: value } } })
  const undoable: Undoable = {
    what: `selector of ${objectIdOf(service)} made to match nothing`,
    steps: [{ do: 'patch', ref: refTo(service), patch: setLabel(null) }],
  }
  return breakBy(sandbox, undoable, {
    act: () => sandbox.cluster.objects.patch(service, setLabel('true')),
    ended: () => Promise.resolve(),
  })
}

/** That a target cannot be broken is a fact about the control, not a failure of the measurement. */
export const cannotBreak = (error: unknown): error is Error =>
  error instanceof DeadlineError || error instanceof RefusedError
