import type { StatusCause } from '../store/api-error.js'
import type { K8sObject } from '../store/object.js'
import { forbidden, invalidValue, required } from './causes.js'

interface Target {
  readonly type: string
  readonly averageUtilization?: number
  readonly averageValue?: string | number
}
interface Metric {
  readonly type: string
  readonly resource?: { readonly target: Target }
  readonly containerResource?: { readonly target: Target }
}
interface Spec {
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly scaleTargetRef: { readonly kind?: string; readonly name?: string }
  readonly metrics?: readonly Metric[]
}

/** What the API server refuses of a HorizontalPodAutoscaler beyond its shape. */
export function autoscalerCauses(object: K8sObject): StatusCause[] {
  const { minReplicas = 1, maxReplicas, scaleTargetRef, metrics = [] } = (object.spec ?? {}) as Partial<Spec>
  return [
    ...(scaleTargetRef?.kind ? [] : [required('spec.scaleTargetRef.kind')]),
    ...(scaleTargetRef?.name ? [] : [required('spec.scaleTargetRef.name')]),
    ...(minReplicas < 1 ? [invalidValue('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')] : []),
    ...boundCauses(minReplicas, maxReplicas ?? 0),
    ...metrics.flatMap((metric, index) => metricCauses(metric, `spec.metrics[${index}]`)),
  ]
}

function boundCauses(minReplicas: number, maxReplicas: number): StatusCause[] {
  const field = 'spec.maxReplicas'
  if (maxReplicas < 1) return [invalidValue(field, maxReplicas, 'must be greater than 0')]
  if (maxReplicas >= minReplicas) return []
  return [invalidValue(field, maxReplicas, 'must be greater than or equal to `minReplicas`')]
}

function metricCauses({ type, resource, containerResource }: Metric, path: string): StatusCause[] {
  const name = type === 'Resource' ? 'resource' : 'containerResource'
  const source = type === 'Resource' ? resource : containerResource
  if (!source) return [required(`${path}.${name}`, 'must populate information for the given metric source')]
  return targetCauses(source.target, `${path}.${name}.target`)
}

function targetCauses({ averageUtilization, averageValue }: Target, path: string): StatusCause[] {
  if (averageUtilization === undefined && averageValue === undefined) {
    return [required(`${path}.averageUtilization`, 'must set either a target raw value or a target utilization')]
  }
  if (averageUtilization === undefined) return []
  const both = 'may not set both a target raw value and a target utilization'
  if (averageValue !== undefined) return [forbidden(`${path}.averageValue`, both)]
  return averageUtilization > 0
    ? []
    : [invalidValue(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0')]
}
