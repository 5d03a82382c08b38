import {
  chaosManifest,
  type ChaosPlace,
  chaosRef,
  injectedRecords,
  injectionFailure,
  isInjected,
  podOfRecord,
  RefusedError,
  type ChaosObject,
  type EventObject,
} from '@ordeal/kubernetes'
import { DeadlineError } from '@ordeal/shared'
import { confirmHeld } from '../place/confirm-held.js'
import { isOwn, type Sandbox } from '../sandbox/open-sandbox.js'
import { isLive, listPods } from '../sandbox/owners.js'
import { withPodsSeen } from '../evidence/shown.js'
import { operate } from '../functional/operate.js'
import { type ChaosRunFault, chaosPaths, isChaosRunFault, isFunctionalRunFault, type RunFault } from './fault.js'
import { type Problem } from './refuse.js'

/** Chaos Mesh injects within a second or two; where it cannot, it tries again ever more rarely. */
const INJECT_MS = 20_000
/** A pod that was hit shows it soon. */
const EFFECT_MS = 15_000

export interface Injected {
  readonly faults: readonly RunFault[]
  readonly problem: Problem | null
}

/** Injects faults at once, and waits for both halves of the evidence. */
export async function inject(sandbox: Sandbox, faults: readonly RunFault[]): Promise<Injected> {
  await confirmHeld(sandbox)
  const chaos = faults.filter(isChaosRunFault)
  const operated = await operate(sandbox, faults.filter(isFunctionalRunFault))
  if (operated.problem || chaos.length === 0) return { ...operated, faults: [...operated.faults, ...chaos] }
  const injected = await injectChaos(sandbox, chaos)
  return { ...injected, faults: [...operated.faults, ...injected.faults] }
}

async function injectChaos(sandbox: Sandbox, faults: readonly ChaosRunFault[]): Promise<Injected> {
  const refusal = await createAll(sandbox, faults)
  if (refusal) return { faults, problem: refusal }
  const records = await awaitRecords(sandbox, faults)
  const injectedAt = await sandbox.cluster.clock.now()
  const recorded = faults.map((fault): ChaosRunFault => {
    const { hit, complete } = records.get(fault) ?? NOTHING
    const evidence = { record: complete ? `injected into ${hit.join(', ')}` : null, effect: null }
    return {
      ...fault,
      injection: { ...fault.injection, targets: hit, evidence, injectedAt: complete ? injectedAt : null },
    }
  })
  const missing = faults.find((fault) => !records.get(fault)?.complete)
  if (missing) {
    const why = records.get(missing)?.failure ?? (await lastComplaint(sandbox, missing))
    return { faults: recorded, problem: notInjected(missing, why) }
  }
  return { faults: await awaitEffects(sandbox, recorded), problem: null }
}

async function createAll(sandbox: Sandbox, faults: readonly ChaosRunFault[]): Promise<Problem | null> {
  const { cluster, labels } = sandbox
  for (const fault of faults) {
    try {
      const place = { ...placeOf(fault), otherSide: await otherSideOf(sandbox, fault) }
      await cluster.objects.adopt(chaosManifest(fault.targets.fault, place), isOwn(labels))
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      return notInjected(fault, error.message)
    }
  }
  return null
}

/** Pods are named only where no selector can tell them. */
const placeOf = ({ targets: { fault, pods }, place }: RunFault): ChaosPlace =>
  fault.target.mode === 'node' ? { ...place, pods: pods.map((pod) => pod.metadata.name) } : place

/** The pods of a peer as they are now, and the witness; undefined where the fault's rule means every pod, or nobody. */
async function otherSideOf(sandbox: Sandbox, { targets: { fault }, witness }: RunFault): Promise<string[] | undefined> {
  if (fault.kind !== 'NetworkChaos') return undefined
  const { peer, externalTargets } = fault.parameters
  if (!peer && !externalTargets) return undefined
  const pods = peer ? (await listPods(sandbox, peer.selector)).filter(isLive) : []
  return [...pods.map((pod) => pod.metadata.name), ...(witness === null ? [] : [witness])]
}

/** What the events of a fault's Chaos Mesh object complain of; null when they do not. */
async function lastComplaint({ cluster }: Sandbox, { place }: RunFault): Promise<string | null> {
  const { namespace, name } = place
  const events = await cluster.objects.list<EventObject>({ apiVersion: 'v1', kind: 'Event', namespace })
  const complaint = events.findLast((e) => e.involvedObject.name === name && e.reason === 'Failed')
  return complaint?.message ?? null
}

function notInjected({ targets: { fault } }: RunFault, why: string | null): Problem {
  const said = why ?? 'Chaos Mesh has no record of it and does not say why; its controller or its daemon may not run'
  return { reason: 'not-injected', message: `fault ${fault.id} (${fault.action}) was not injected: ${said}` }
}

interface Records {
  readonly hit: string[]
  readonly complete: boolean
  readonly failure: string | null
}
const NOTHING: Records = { hit: [], complete: false, failure: null }

/** What the injector's own record says, as soon as it names every expected target; else what it says in the end. */
async function awaitRecords(sandbox: Sandbox, faults: readonly ChaosRunFault[]): Promise<Map<ChaosRunFault, Records>> {
  const { cluster, context, namespace } = sandbox
  const records = new Map<ChaosRunFault, Records>()
  const kinds = faults.map((f) => f.targets.fault.kind)
  const watch = await chaosPaths(cluster.objects, kinds, namespace)
  const check = async () => {
    for (const fault of faults) records.set(fault, await readRecords(sandbox, fault))
    return [...records.values()].every((r) => r.complete) || undefined
  }
  try {
    await cluster.clock.waitFor({ what: 'the injection', withinMs: INJECT_MS, watch, check }, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return records
}

async function readRecords({ cluster }: Sandbox, { targets, place }: ChaosRunFault): Promise<Records> {
  const chaos = await cluster.objects.get<ChaosObject>(chaosRef(targets.fault.kind, place))
  if (!chaos) return { ...NOTHING, failure: 'its Chaos Mesh object is gone' }
  const hit = [...new Set(injectedRecords(chaos).map(podOfRecord))]
  const complete = isInjected(chaos) && hit.length > 0 && hit.length >= targets.expected
  return { hit, complete, failure: injectionFailure(chaos) }
}

/** Waits until every pod that was hit by a PodChaos shows it. That none shows is for the verdict to weigh. */
async function awaitEffects(sandbox: Sandbox, faults: readonly RunFault[]): Promise<RunFault[]> {
  const { cluster, context, podsPath } = sandbox
  let seen: readonly RunFault[] = faults
  const check = async () => {
    seen = await lookForEffects(sandbox, seen)
    return seen.every((f) => f.injection.evidence.effect !== null || f.targets.fault.kind !== 'PodChaos') || undefined
  }
  try {
    const wait = { what: 'an effect at the targets', withinMs: EFFECT_MS, watch: [podsPath], check }
    await cluster.clock.waitFor(wait, context.signal)
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
  }
  return [...seen]
}

/** Looks at the pods that were hit and keeps what they show of themselves. */
export async function lookForEffects(sandbox: Sandbox, faults: readonly RunFault[]): Promise<RunFault[]> {
  const now = await listPods(sandbox)
  return faults.map((fault) => (isChaosRunFault(fault) ? withPodsSeen(fault, now) : fault))
}
