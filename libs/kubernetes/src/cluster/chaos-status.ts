import { selects } from '../input/kubernetes-object.js'
import { type ClusterObject, type Pod } from './object.js'

/** What Chaos Mesh writes about one target: `id` is `namespace/pod` or `namespace/pod/container`. */
export interface ChaosRecord {
  readonly id: string
  /** `.` for a target, `.Target` for the other side of a NetworkChaos. */
  readonly selectorKey?: string
  readonly phase: string
  readonly injectedCount: number
  readonly recoveredCount: number
  readonly events?: readonly { operation: string; type: string; message?: string; timestamp?: string }[]
}

/** What Ordeal reads of a Chaos Mesh object. */
export interface ChaosObject extends ClusterObject {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason?: string }[]
    readonly experiment?: { readonly desiredPhase?: string; readonly containerRecords?: readonly ChaosRecord[] }
  }
}

const recordsOf = (chaos: ChaosObject): readonly ChaosRecord[] => chaos.status?.experiment?.containerRecords ?? []

const wasInjected = ({ injectedCount }: ChaosRecord): boolean => injectedCount >= 1

/** Records of targets that were really touched. AllInjected and AllRecovered alone prove nothing. */
export const injectedRecords = (chaos: ChaosObject): ChaosRecord[] =>
  recordsOf(chaos).filter((r) => wasInjected(r) && r.selectorKey !== '.Target')

/**
 * Whether Chaos Mesh has selected its targets and touched each of them, and both sides where there are two: what it
 * expects of itself, beside what is expected of it.
 */
export const isInjected = (chaos: ChaosObject): boolean => {
  const isTrue = (type: string) => chaos.status?.conditions?.some((c) => c.type === type && c.status === 'True')
  return isTrue('Selected') === true && recordsOf(chaos).length > 0 && recordsOf(chaos).every(wasInjected)
}

/** Whether Chaos Mesh never came to touch anything. */
export const wasNeverInjected = (chaos: ChaosObject): boolean => !recordsOf(chaos).some(wasInjected)

/** Name of the pod of a record. */
export const podOfRecord = (record: Pick<ChaosRecord, 'id'>): string => record.id.split('/')[1] ?? record.id

/**
 * Names of the pods that Chaos Mesh may be about to touch: those of its records, or all that its rule means as long as it
 * has none.
 */
export function podsInReach(chaos: ChaosObject, pods: readonly Pod[]): string[] {
  const records = recordsOf(chaos).map(podOfRecord)
  if (records.length) return [...new Set(records)]
  const { selector = {} } = chaos.spec as { selector?: Selector }
  const named = Object.values(selector.pods ?? {}).flat()
  return pods
    .filter(({ metadata: { name, labels } }) =>
      selector.pods ? named.includes(name) : selects(selector.labelSelectors ?? {}, labels ?? {}),
    )
    .map((pod) => pod.metadata.name)
}

interface Selector {
  readonly pods?: Readonly<Record<string, readonly string[]>>
  readonly labelSelectors?: Record<string, string>
}

/** Why Chaos Mesh could not inject, in its own words; null when it says nothing. */
export function injectionFailure(chaos: ChaosObject): string | null {
  const events = recordsOf(chaos).flatMap((r) => r.events ?? [])
  return events.findLast((e) => e.type === 'Failed')?.message ?? null
}
