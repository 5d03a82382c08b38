import { createHash } from 'node:crypto'
import { formatDuration, type ChaosFault, type Fault, type FaultKind } from '@ordeal/shared'
import { parametersOf } from './chaos-parameters.js'
import { type ClusterObject, type ObjectRef } from './object.js'

export const CHAOS_API = 'chaos-mesh.org/v1alpha1'

/** Every kind of Chaos Mesh object that Ordeal may create, for clean-up. */
export const CHAOS_KINDS: readonly FaultKind[] = [
  'PodChaos',
  'NetworkChaos',
  'DNSChaos',
  'HTTPChaos',
  'StressChaos',
  'IOChaos',
  'TimeChaos',
]

/** The longest name of a Kubernetes object that may also be a label's value. */
const MAX_NAME = 63

/** Where and under which name a fault is injected. */
export interface ChaosPlace {
  readonly name: string
  /** Of the Chaos object, and the only one whose pods it may select. */
  readonly namespace: string
  readonly labels: Record<string, string>
  /** The pods of the other side of a NetworkChaos, by name; without it, those that its rule selects. */
  readonly otherSide?: readonly string[]
  /** The pods to hit, by name, where the fault's rule is about a node; without it, those that its rule selects. */
  readonly pods?: readonly string[]
}

/** The name of a fault's Chaos object: the same for every attempt at the same run, different for all others. */
export function chaosName(cycle: string, revision: number, fault: string): string {
  const plain = `${cycle}-r${revision}-${fault}`
  const name = plain.toLowerCase().replace(/[^a-z0-9-]/g, '-')
  if (name === plain && name.length <= MAX_NAME) return name
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 10)
  return `${name.slice(0, MAX_NAME - hash.length - 1)}-${hash}`
}

/** The Chaos Mesh object of a fault. Its `duration` ends the fault even when nobody is left to remove it. */
export function chaosManifest(fault: ChaosFault, place: ChaosPlace): ClusterObject {
  const { name, namespace, labels } = place
  return {
    apiVersion: CHAOS_API,
    kind: fault.kind,
    metadata: { name, namespace, labels, finalizers: [CHAOS_FINALIZER] },
    spec: { ...chaosSpec(fault, place), duration: formatDuration(fault.durationMs) },
  }
}

/**
 * What keeps a Chaos object until its fault is undone. Chaos Mesh adds it itself a moment after the creation: one that is
 * removed before that would be gone, and its fault might come all the same and stay.
 */
const CHAOS_FINALIZER = 'chaos-mesh/records'

/**
 * The `spec` of a fault without its duration, which a Workflow gives as a deadline. Chaos Mesh has no rule for the pods of
 * one node, whichever that is: where nobody has named them, all pods of the component are meant.
 */
export function chaosSpec(
  fault: ChaosFault,
  { namespace, pods, otherSide }: Pick<ChaosPlace, 'namespace' | 'pods' | 'otherSide'>,
): Record<string, unknown> {
  const { mode, count, selector } = fault.target
  return {
    mode: mode === 'node' ? 'all' : mode,
    ...(mode === 'fixed' ? { value: String(count ?? 1) } : {}),
    // A pod that has finished keeps its labels, and there is nothing left of it to hit.
    selector: pods
      ? { pods: { [namespace]: pods } }
      : { namespaces: [namespace], labelSelectors: selector, podPhaseSelectors: ['Running'] },
    ...parametersOf(fault, namespace, otherSide),
  }
}

/** Whether Chaos Mesh injects the fault. */
export const isChaosFault = (fault: Fault): fault is ChaosFault => fault.kind !== 'Functional'

export const chaosRef = (kind: FaultKind, place: { name: string; namespace: string }): ObjectRef => ({
  apiVersion: CHAOS_API,
  kind,
  metadata: { name: place.name, namespace: place.namespace },
})
