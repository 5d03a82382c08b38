import { type Pod } from '@ordeal/kubernetes'
import { type Fault, type Injection } from '@ordeal/shared'
import { type RunFault } from '../run/fault.js'
import { podEffect, wasReplaced, wasRestarted } from './pod-effect.js'

/**
 * Adds what showed at targets, by pod. Only when something showed at each of them is there an effect: a fault that
 * reached half of its targets is not the one that was to be tested.
 */
export function withShown(fault: RunFault, more: Record<string, string>): RunFault {
  const { evidence, targets } = fault.injection
  const shown = { ...evidence.shown, ...more }
  const complete = targets.length > 0 && targets.every((pod) => shown[pod] !== undefined)
  const effect = complete ? targets.map((pod) => shown[pod]).join(', ') : null
  return { ...fault, injection: { ...fault.injection, evidence: { ...evidence, effect, shown } } }
}

/** Adds what the pods that were hit show of themselves, and which of them the fault does not cover any more. */
export function withPodsSeen(fault: RunFault, podsNow: readonly Pod[]): RunFault {
  const now = new Map(podsNow.map((pod) => [pod.metadata.name, pod]))
  const { injection, targets } = fault
  const hit = targets.pods
    .filter(({ metadata }) => injection.targets.includes(metadata.name))
    .map((before) => ({ before, now: now.get(before.metadata.name) ?? null }))
  const seen = hit.flatMap(({ before, now: pod }): [string, string][] => {
    // That a pod is gone shows a fault that ends pods, and of another nothing but that its target is lost.
    const shows = targets.fault.kind === 'PodChaos' || !wasReplaced(before, pod) ? podEffect(before, pod) : null
    return shows === null ? [] : [[before.metadata.name, shows]]
  })
  const lost = hit.flatMap(({ before, now: pod }) => lossOf(targets.fault, before, pod) ?? [])
  return withShown(
    { ...fault, injection: { ...injection, ...(lost.length ? { replaced: lost } : {}) } },
    { ...injection.evidence.shown, ...Object.fromEntries(seen) },
  )
}

type Loss = NonNullable<Injection['replaced']>[number]

/** Faults that live in the processes of a container, and end with them. */
const IN_PROCESSES = new Set<Fault['kind']>(['StressChaos', 'TimeChaos', 'IOChaos'])

function lossOf(fault: Fault, before: Pod, now: Pod | null): Loss | null {
  const pod = before.metadata.name
  if (fault.action === 'pod-kill') return null
  if (wasReplaced(before, now)) return { pod, what: 'it is gone, and what came in its place was not hit' }
  if (!IN_PROCESSES.has(fault.kind) || !wasRestarted(before, now)) return null
  return { pod, what: 'its container restarted, and the fault ended with the processes in it' }
}
