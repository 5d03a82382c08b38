import { parseQuantity } from '../schema/quantity.js'
import { type Autoscaler, type MetricSpec, type Proposal, type ScalingRules } from './autoscaler.js'
import { type Count, countReplicas, type Metric, MetricError, type Scene } from './count-replicas.js'

/** What one metric of the spec asks for now. Throws MetricError with the controller's message. */
export function proposalOf(spec: MetricSpec, scene: Scene, behavior: Autoscaler['spec']['behavior']): Proposal {
  const given = spec.resource ?? spec.containerResource
  if (!given) throw new MetricError(`unknown metric source type "${spec.type}"`)
  const container = spec.containerResource?.container ?? null
  const tolerance = { up: toleranceOf(behavior?.scaleUp), down: toleranceOf(behavior?.scaleDown) }
  const metric: Metric = { resource: given.name, container, target: given.target, tolerance }
  const count = counted(metric, scene)
  return { replicas: count.replicas, metric: nameOf(metric), status: statusOf(spec, metric, count) }
}

const DEFAULT_TOLERANCE = 0.1

const toleranceOf = (rules: ScalingRules | undefined): number =>
  rules?.tolerance === undefined ? DEFAULT_TOLERANCE : parseQuantity(rules.tolerance)

function counted(metric: Metric, scene: Scene): Count {
  try {
    return countReplicas(metric, scene)
  } catch (error) {
    if (!(error instanceof MetricError)) throw error
    const what = metric.target.type === 'Utilization' ? 'utilization' : 'usage'
    throw new MetricError(`failed to get ${metric.resource} ${what}: ${error.message.replace('%', metric.resource)}`)
  }
}

function nameOf({ resource, container, target }: Metric): string {
  const what = container === null ? `${resource} resource` : `${resource} container resource`
  return target.type === 'Utilization' ? `${what} utilization (percentage of request)` : what
}

function statusOf(spec: MetricSpec, { resource, container, target }: Metric, { utilization, average }: Count): object {
  const averageValue = resource === 'cpu' ? `${Math.floor(average * 1000)}m` : String(Math.floor(average))
  const current = { ...(target.type === 'Utilization' ? { averageUtilization: utilization } : {}), averageValue }
  if (container === null) return { type: spec.type, resource: { name: resource, current } }
  return { type: spec.type, containerResource: { name: resource, container, current } }
}
