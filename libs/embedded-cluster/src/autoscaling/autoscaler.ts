import { type Condition } from '../controllers/objects.js'
import { type StoredObject } from '../store/object.js'

/** The parts of an autoscaling/v2 HorizontalPodAutoscaler that its controller reads and writes. */
export interface Autoscaler extends StoredObject {
  spec: {
    scaleTargetRef: { apiVersion?: string; kind: string; name: string }
    minReplicas?: number
    maxReplicas: number
    metrics?: readonly MetricSpec[]
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules }
  }
  status?: AutoscalerStatus
}

export interface MetricTarget {
  readonly type: string
  readonly averageUtilization?: number
  readonly averageValue?: string | number
}
export interface MetricSpec {
  readonly type: string
  readonly resource?: { readonly name: string; readonly target: MetricTarget }
  readonly containerResource?: { readonly name: string; readonly container: string; readonly target: MetricTarget }
}

export interface ScalingPolicy {
  readonly type: string
  readonly value: number
  readonly periodSeconds: number
}
export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: string
  readonly policies?: readonly ScalingPolicy[]
  /** Share by which a metric may miss its target. */
  readonly tolerance?: string | number
}

export interface AutoscalerStatus {
  currentReplicas?: number | undefined
  desiredReplicas: number
  lastScaleTime?: string
  currentMetrics?: readonly object[] | null
  conditions?: readonly Condition[]
}

/** What one metric asks for. */
export interface Proposal {
  readonly replicas: number
  /** For the event: `cpu resource utilization (percentage of request)`. */
  readonly metric: string
  readonly status: object
}
