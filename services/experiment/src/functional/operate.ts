import {
  isRefused,
  OperationError,
  planOperation,
  RefusedError,
  type ObjectRef,
  type Operation,
  type Write,
} from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { type FunctionalRunFault, type RunFault } from '../run/fault.js'
import { type Problem } from '../run/refuse.js'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'
import { noteUndo, undo } from '../undo/undo-ledger.js'
import { awaitFunctionalEffects } from './functional-effect.js'
import { findScene } from './scene.js'
import { noteOf, noteWords } from './take-back-operation.js'

/** Budgets let one pod go after another as their replacements become ready. */
const EVICT_MS = 10_000
/** `kubectl drain` asks again as often. */
const ASK_AGAIN_MS = 1000

export interface Operated {
  readonly faults: readonly RunFault[]
  readonly problem: Problem | null
}

/**
 * Carries functional faults out, one after another: how to undo each is noted before its first write. Then waits for
 * something to show at the targets.
 */
export async function operate(sandbox: Sandbox, faults: readonly FunctionalRunFault[]): Promise<Operated> {
  const done: FunctionalRunFault[] = []
  for (const fault of faults) {
    const outcome = await operateOne(sandbox, fault)
    if ('problem' in outcome) return { faults: [...done, fault], problem: outcome.problem }
    done.push(outcome.fault)
  }
  return { faults: await awaitFunctionalEffects(sandbox, done), problem: null }
}

type Outcome = { readonly fault: FunctionalRunFault } | { readonly problem: Problem }

async function operateOne(sandbox: Sandbox, fault: FunctionalRunFault): Promise<Outcome> {
  try {
    await undoEarlier(sandbox, fault)
    const operation = planOperation(fault.targets.fault, await findScene(sandbox, fault))
    if (operation.undo.length) {
      await noteUndo(sandbox, { what: noteWords(fault, operation.what), steps: operation.undo.map(asStep) })
    }
    for (const write of operation.writes) await perform(sandbox, write)
    const held = await evict(sandbox, operation.evictions)
    return { fault: await recorded(sandbox, fault, { operation, held }) }
  } catch (error) {
    if (!(error instanceof RefusedError) && !(error instanceof OperationError)) throw error
    const { id, action } = fault.targets.fault
    const message = `fault ${id} (${action}) was not carried out: ${error.message}`
    return { problem: { reason: 'not-injected', message } }
  }
}

/** An attempt that was cut short may have done it already: what to do is planned from how things were. */
async function undoEarlier(sandbox: Sandbox, fault: FunctionalRunFault): Promise<void> {
  const note = await noteOf(sandbox, fault)
  if (note) await undo(sandbox, note, 'found')
}

/** A copy that may be changed, as the ledger keeps it. */
const asStep = (write: Write) =>
  write.do === 'create' ? { do: write.do, object: { ...write.object } } : { ...write, ref: copied(write.ref) }

const copied = ({ apiVersion, kind, metadata }: ObjectRef) => ({ apiVersion, kind, metadata: { ...metadata } })

async function perform({ cluster, labels }: Sandbox, write: Write): Promise<void> {
  switch (write.do) {
    case 'patch':
      await cluster.objects.patch(write.ref, write.patch)
      return
    case 'create':
      await cluster.objects.adopt(write.object, isOwn(labels))
      return
    case 'remove':
      await cluster.objects.remove(write.ref)
  }
}

/** Names of the pods that their budgets still keep when the time is over. */
async function evict({ cluster, context, podsPath }: Sandbox, pods: readonly ObjectRef[]): Promise<string[]> {
  let left = [...pods]
  const check = async () => {
    const kept: ObjectRef[] = []
    for (const pod of left) if (!(await mayGo(pod))) kept.push(pod)
    left = kept
    return left.length === 0 || undefined
  }
  const mayGo = async (pod: ObjectRef): Promise<boolean> => {
    try {
      await cluster.objects.evict(pod)
      return true
    } catch (error) {
      if (isRefused(error, 429)) return false
      if (isRefused(error, 404)) return true
      throw error
    }
  }
  const wait = { what: 'the evictions', withinMs: EVICT_MS, watch: [podsPath], everyMs: ASK_AGAIN_MS, check }
  try {
    if (left.length) await cluster.clock.waitFor(wait, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return left.map(({ metadata }) => metadata.name)
}

async function recorded(
  { cluster }: Sandbox,
  fault: FunctionalRunFault,
  { operation, held }: { operation: Operation; held: readonly string[] },
): Promise<FunctionalRunFault> {
  const kept = held.length ? `; budgets keep ${held.join(', ')}` : ''
  return {
    ...fault,
    injection: {
      ...fault.injection,
      targets: fault.targets.pods.map(({ metadata }) => metadata.name),
      evidence: { record: `${operation.what}${kept}`, effect: null },
      injectedAt: await cluster.clock.now(),
    },
  }
}
