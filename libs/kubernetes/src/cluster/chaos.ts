import { createHash } from 'node:crypto'
import { assertNever, formatDuration, type Fault } from '@ordeal/shared'
import { type ClusterObject, type ObjectRef } from './object.js'

export const CHAOS_API = 'chaos-mesh.org/v1alpha1'

/** Every kind of Chaos Mesh object that Ordeal may create, for clean-up. */
export const CHAOS_KINDS: readonly Fault['kind'][] = ['PodChaos', 'NetworkChaos']

/** The longest name of a Kubernetes object that may also be a label's value. */
const MAX_NAME = 63

/** Where and under which name a fault is injected. */
export interface ChaosPlace {
  readonly name: string
  /** Of the Chaos object, and the only one whose pods it may select. */
  readonly namespace: string
  readonly labels: Record<string, string>
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
export function chaosManifest(fault: Fault, { name, namespace, labels }: ChaosPlace): ClusterObject {
  return {
    apiVersion: CHAOS_API,
    kind: fault.kind,
    metadata: { name, namespace, labels },
    spec: { ...chaosSpec(fault, namespace), duration: formatDuration(fault.durationMs) },
  }
}

/** The `spec` of a fault without its duration, which a Workflow gives as a deadline. */
export function chaosSpec(fault: Fault, namespace: string): Record<string, unknown> {
  const { mode, count, selector } = fault.target
  return {
    action: fault.action,
    mode,
    ...(mode === 'fixed' ? { value: String(count ?? 1) } : {}),
    // A pod that has finished keeps its labels, and there is nothing left of it to hit.
    selector: { namespaces: [namespace], labelSelectors: selector, podPhaseSelectors: ['Running'] },
    ...parametersOf(fault, namespace),
  }
}

function parametersOf(fault: Fault, namespace: string): Record<string, unknown> {
  switch (fault.kind) {
    case 'PodChaos': {
      const { gracePeriodSeconds, containers } = fault.parameters
      return {
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriod: gracePeriodSeconds }),
        ...(containers ? { containerNames: containers } : {}),
      }
    }
    case 'NetworkChaos':
      return networkParameters(fault, namespace)
    default:
      return assertNever(fault)
  }
}

type NetworkFault = Extract<Fault, { kind: 'NetworkChaos' }>

function networkParameters({ action, parameters }: NetworkFault, namespace: string): Record<string, unknown> {
  const { latencyMs = 0, jitterMs = 0, lossPercent = 100, direction = 'to' } = parameters
  const correlation = `${parameters.correlation ?? 0}`
  const how = {
    delay: { delay: { latency: formatDuration(latencyMs), jitter: formatDuration(jitterMs), correlation } },
    loss: { loss: { loss: `${lossPercent}`, correlation } },
    partition: {},
  }
  // Chaos Mesh wants to know from whom, for any direction but `to`: the pods of the application.
  const target = direction === 'to' ? {} : { target: { mode: 'all', selector: { namespaces: [namespace] } } }
  return { direction, ...target, ...how[action] }
}

/** What Chaos Mesh writes about one target: `id` is `namespace/pod` or `namespace/pod/container`. */
export interface ChaosRecord {
  readonly id: string
  readonly phase: string
  readonly injectedCount: number
  readonly recoveredCount: number
  readonly events?: readonly { operation: string; type: string; message?: string }[]
}

/** What Ordeal reads of a Chaos Mesh object. */
export interface ChaosObject extends ClusterObject {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason?: string }[]
    readonly experiment?: { readonly desiredPhase?: string; readonly containerRecords?: readonly ChaosRecord[] }
  }
}

/** Records of targets that were really touched. AllInjected and AllRecovered alone prove nothing. */
export const injectedRecords = (chaos: ChaosObject): ChaosRecord[] =>
  (chaos.status?.experiment?.containerRecords ?? []).filter((r) => r.injectedCount >= 1)

/** Whether Chaos Mesh never came to touch any target. */
export const wasNeverInjected = (chaos: ChaosObject): boolean => injectedRecords(chaos).length === 0

/** Name of the pod of a record. */
export const podOfRecord = (record: ChaosRecord): string => record.id.split('/')[1] ?? record.id

/** Why Chaos Mesh could not inject, in its own words; null when it says nothing. */
export function injectionFailure(chaos: ChaosObject): string | null {
  const events = (chaos.status?.experiment?.containerRecords ?? []).flatMap((r) => r.events ?? [])
  return events.findLast((e) => e.type === 'Failed')?.message ?? null
}

export const chaosRef = (kind: Fault['kind'], place: { name: string; namespace: string }): ObjectRef => ({
  apiVersion: CHAOS_API,
  kind,
  metadata: { name: place.name, namespace: place.namespace },
})
