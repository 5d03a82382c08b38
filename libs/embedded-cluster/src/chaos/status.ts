import { type StoredObject } from '../store/object.js'

export type Phase = 'Not Injected' | 'Not Injected/Wait' | 'Injected' | 'Injected/Wait'
export type DesiredPhase = 'Run' | 'Stop'

export interface RecordEvent {
  readonly type: 'Succeeded' | 'Failed'
  readonly operation: 'Apply' | 'Recover'
  readonly message?: string
  readonly timestamp: string
}
/** One target of a fault, as `.status.experiment.containerRecords` shows it. */
export interface ChaosRecord {
  /** `namespace/pod`, or `namespace/pod/container`. */
  readonly id: string
  readonly selectorKey: '.' | '.Target'
  readonly phase: Phase
  readonly injectedCount: number
  readonly recoveredCount: number
  readonly events?: readonly RecordEvent[]
}
export interface ChaosCondition {
  readonly type: 'Selected' | 'AllInjected' | 'AllRecovered' | 'Paused'
  readonly status: 'True' | 'False'
}

export interface Chaos extends StoredObject {
  spec: ChaosSpec
  status?: {
    conditions?: readonly ChaosCondition[]
    experiment?: { desiredPhase?: DesiredPhase; containerRecords?: readonly ChaosRecord[] }
    /** By target: the generation of a pod's network or proxy settings, or what a stress runs as. */
    instances?: Readonly<Record<string, unknown>>
  }
}

export interface PodSelector {
  namespaces?: string[]
  labelSelectors?: Record<string, string>
  expressionSelectors?: { key: string; operator: string; values?: string[] }[]
  podPhaseSelectors?: string[]
  pods?: Record<string, string[]>
  annotationSelectors?: Record<string, string>
  fieldSelectors?: Record<string, string>
  nodes?: string[]
  nodeSelectors?: Record<string, string>
}
export interface TargetRule {
  mode: 'one' | 'all' | 'fixed' | 'fixed-percent' | 'random-max-percent'
  value?: string
  selector: PodSelector
}
export interface ChaosSpec extends TargetRule {
  /** StressChaos and HTTPChaos have none. */
  action?: string
  duration?: string
  gracePeriod?: number
  containerNames?: string[]
  direction?: 'to' | 'from' | 'both'
  target?: TargetRule
  externalTargets?: string[]
  partitionBehavior?: 'drop' | 'reject'
  delay?: {
    latency: string
    jitter?: string
    correlation?: string
    reorder?: { reorder: string; correlation?: string; gap: number }
  }
  loss?: { loss: string; correlation?: string }
  corrupt?: { corrupt: string; correlation?: string }
  duplicate?: { duplicate: string; correlation?: string }
  rate?: { rate: string }
  bandwidth?: { rate: string; limit: number; buffer: number }
  stressors?: {
    cpu?: { workers: number; load?: number }
    memory?: { workers: number; size?: string }
  }
  patterns?: string[]
}

/** HTTPChaos uses some of the same names for other things. */
export interface HttpChaosSpec {
  target: 'Request' | 'Response'
  port: number
  path?: string
  method?: string
  code?: number
  abort?: boolean
  delay?: string
  replace?: { path?: string; code?: number }
}

export const httpSpecOf = ({ spec }: Chaos): HttpChaosSpec => spec as unknown as HttpChaosSpec

/** A pod kill or container kill happens once; it has no state that could be taken back. */
export const isOneShot = ({ spec }: Chaos): boolean => spec.action === 'pod-kill' || spec.action === 'container-kill'

export const isPaused = ({ metadata }: Chaos): boolean =>
  metadata.annotations?.['experiment.chaos-mesh.org/pause'] === 'true'

/** The four conditions, derived from the records as Chaos Mesh derives them: without records none is met. */
export function conditionsOf(chaos: Chaos): ChaosCondition[] {
  const records = chaos.status?.experiment?.containerRecords
  const every = (phase: Phase) => records?.every((record) => record.phase === phase) ?? false
  const state = (type: ChaosCondition['type'], met: boolean): ChaosCondition => ({
    type,
    status: met ? 'True' : 'False',
  })
  return [
    state('Selected', records !== undefined),
    state('AllInjected', every('Injected')),
    state('AllRecovered', every('Not Injected')),
    state('Paused', isPaused(chaos)),
  ]
}
