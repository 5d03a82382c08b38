import { type PodUsage } from '../api/engine-port.js'
import { type Cluster } from '../controllers/cluster.js'
import { keyOf, type Pod, splitKey } from '../controllers/objects.js'
import { type Reconciler, WorkQueue } from '../controllers/queue.js'
import { definitionOfKind, type ResourceKey } from '../schema/resources.js'
import { type LabelSelector } from '../schema/selectors.js'
import { type Change, timestamp, type StoredObject } from '../store/object.js'
import { type Autoscaler, type AutoscalerStatus, type MetricSpec, type Proposal } from './autoscaler.js'
import { Conditions } from './conditions.js'
import { MetricError } from './count-replicas.js'
import { limitScaling, type Limited, type ScalingHistory } from './limit-scaling.js'
import { proposalOf } from './read-metric.js'

/** How often each autoscaler is looked at (`--horizontal-pod-autoscaler-sync-period`). */
const SYNC_MS = 15_000
/** History is of use for so long at most (an hour is the longest window). */
const KEPT_MS = 3_600_000
const SOURCE = { component: 'horizontal-pod-autoscaler' }

/** Where the use of CPU and memory is read. */
export interface UsageSource {
  usageOf(pod: StoredObject): PodUsage | null
}

interface Target extends StoredObject {
  spec: { replicas?: number; selector: LabelSelector }
  status?: { replicas?: number }
}
interface History extends ScalingHistory {
  recommendations: { atMs: number; replicas: number }[]
  ups: { atMs: number; by: number }[]
  downs: { atMs: number; by: number }[]
}

/** Sets the replicas of workloads by what their pods use; without an autoscaler it has nothing to do. */
export class HorizontalAutoscaler implements Reconciler {
  private readonly queue: WorkQueue
  private readonly histories = new Map<string, History>()

  constructor(
    private readonly cluster: Cluster,
    private readonly usage: UsageSource,
  ) {
    this.queue = new WorkQueue(cluster.kernel, 'autoscaling', this)
    cluster.store.subscribe('horizontalpodautoscalers.autoscaling', this, 'changed')
  }

  changed({ type, object }: Change): void {
    const key = keyOf(object)
    if (type === 'DELETED') this.histories.delete(key)
    else this.queue.addAfter(key, SYNC_MS)
  }

  reconcile(key: string): void {
    const autoscaler = this.cluster.store.get<Autoscaler>('horizontalpodautoscalers.autoscaling', ...splitKey(key))
    if (!autoscaler) return
    this.queue.addAfter(key, SYNC_MS)
    const conditions = new Conditions(autoscaler.status?.conditions, this.cluster.kernel.now)
    const status = this.look(autoscaler, conditions)
    this.cluster.store.update('horizontalpodautoscalers.autoscaling', {
      ...autoscaler,
      status: { ...autoscaler.status, ...status, conditions: conditions.list },
    })
  }

  private look(autoscaler: Autoscaler, conditions: Conditions): AutoscalerStatus {
    const found = this.targetOf(autoscaler)
    if (typeof found === 'string') {
      const why = `the HPA controller was unable to get the target's current scale: ${found}`
      conditions.set('AbleToScale', 'False', ['FailedGetScale', why])
      this.warn(autoscaler, 'FailedGetScale', found)
      return { desiredReplicas: autoscaler.status?.desiredReplicas ?? 0, currentMetrics: null }
    }
    const [resource, target] = found
    const got = "the HPA controller was able to get the target's current scale"
    conditions.set('AbleToScale', 'True', ['SucceededGetScale', got])
    return this.decide({ autoscaler, resource, target, conditions })
  }

  private decide(work: Work): AutoscalerStatus {
    const { autoscaler, target, conditions } = work
    const current = target.spec.replicas ?? 0
    const { minReplicas = 1, maxReplicas } = autoscaler.spec
    if (current === 0 && minReplicas !== 0) {
      const why = 'scaling is disabled since the replica count of the target is zero'
      conditions.set('ScalingActive', 'False', ['ScalingDisabled', why])
      return statusOf(target, 0, [])
    }
    const outside = 'Current number of replicas'
    if (current > maxReplicas)
      return this.scale(work, { replicas: maxReplicas, reason: `${outside} above Spec.MaxReplicas` })
    if (current < minReplicas)
      return this.scale(work, { replicas: minReplicas, reason: `${outside} below Spec.MinReplicas` })
    return this.byMetrics(work)
  }

  private byMetrics(work: Work): AutoscalerStatus {
    const { autoscaler, target, conditions } = work
    const current = target.spec.replicas ?? 0
    const proposals = this.proposalsOf(work)
    const chosen = highest(proposals.found)
    // A metric that fails may hide that more are needed: then nothing goes down.
    if (!chosen || (proposals.failure !== null && chosen.replicas < current)) {
      const keep = autoscaler.status?.desiredReplicas ?? 0
      return statusOf(target, keep, proposals.statuses)
    }
    const found = `the HPA was able to successfully calculate a replica count from ${chosen.metric}`
    conditions.set('ScalingActive', 'True', ['ValidMetricFound', found])
    const limited = this.limit(autoscaler, current, chosen.replicas)
    tellStability(conditions, limited)
    tellLimit(conditions, limited)
    const rises = limited.replicas > current
    const reason = rises ? `${chosen.metric} above target` : 'All metrics below target'
    return this.scale(work, { replicas: limited.replicas, reason }, proposals.statuses)
  }

  private proposalsOf(work: Work): Proposals {
    const { autoscaler } = work
    const specs = autoscaler.spec.metrics ?? []
    const readings = specs.map((spec) => this.read(work, spec))
    const found = readings.filter((reading) => typeof reading !== 'string')
    const failures = readings.filter((reading) => typeof reading === 'string')
    const [failure = null] = failures
    if (failure !== null && found.length === 0) {
      const counted = `${failures.length} invalid out of ${specs.length}`
      const first = `failed to get ${resourceOf(autoscaler)} resource metric value: ${failure}`
      const text = `invalid metrics (${counted}), first error is: ${first}`
      this.warn(autoscaler, 'FailedComputeMetricsReplicas', text)
    }
    const statuses = readings.map((reading) => (typeof reading === 'string' ? { type: '' } : reading.status))
    return { found, statuses, failure }
  }

  /** What one metric asks for, or why that cannot be told. */
  private read({ autoscaler, target, conditions }: Work, spec: MetricSpec): Proposal | string {
    const { kernel, store } = this.cluster
    const pods = store.listMatching<Pod>('pods', target.metadata.namespace ?? '', target.spec.selector)
    const usageOf = (pod: Pod) => this.usage.usageOf(pod)
    try {
      const scene = { pods, current: target.spec.replicas ?? 0, nowMs: kernel.now, usageOf }
      return proposalOf(spec, scene, autoscaler.spec.behavior)
    } catch (error) {
      if (!(error instanceof MetricError)) throw error
      this.warn(autoscaler, 'FailedGetResourceMetric', error.message)
      const why = `the HPA was unable to compute the replica count: ${error.message}`
      conditions.set('ScalingActive', 'False', ['FailedGetResourceMetric', why])
      return error.message
    }
  }

  private limit(autoscaler: Autoscaler, current: number, desired: number): Limited {
    const nowMs = this.cluster.kernel.now
    const history = this.historyOf(autoscaler, current)
    const limited = limitScaling(autoscaler, { current, desired, nowMs }, history)
    history.recommendations.push({ atMs: nowMs, replicas: desired })
    return limited
  }

  private historyOf(autoscaler: Autoscaler, current: number): History {
    const key = keyOf(autoscaler)
    const nowMs = this.cluster.kernel.now
    const known = this.histories.get(key)
    // What runs when it starts to look counts as its first recommendation.
    const first = { recommendations: [{ atMs: nowMs, replicas: current }], ups: [], downs: [] }
    const recent = <T extends { atMs: number }>(list: readonly T[]) => list.filter(({ atMs }) => atMs > nowMs - KEPT_MS)
    const history: History = known
      ? { recommendations: recent(known.recommendations), ups: recent(known.ups), downs: recent(known.downs) }
      : first
    this.histories.set(key, history)
    return history
  }

  private scale(
    { autoscaler, resource, target, conditions }: Work,
    wanted: { replicas: number; reason: string },
    metrics: readonly object[] = [],
  ): AutoscalerStatus {
    const current = target.spec.replicas ?? 0
    if (wanted.replicas === current) return statusOf(target, current, metrics)
    const { kernel, store, events } = this.cluster
    store.update(resource, { ...target, spec: { ...target.spec, replicas: wanted.replicas } })
    const rescaled = `the HPA controller was able to update the target scale to ${wanted.replicas}`
    conditions.set('AbleToScale', 'True', ['SucceededRescale', rescaled])
    const message = `New size: ${wanted.replicas}; reason: ${wanted.reason}`
    events.record(autoscaler, SOURCE, { type: 'Normal', reason: 'SuccessfulRescale', message })
    const history = this.historyOf(autoscaler, current)
    const by = wanted.replicas - current
    if (by > 0) history.ups.push({ atMs: kernel.now, by })
    else history.downs.push({ atMs: kernel.now, by: -by })
    return { ...statusOf(target, wanted.replicas, metrics), lastScaleTime: timestamp(kernel.now) }
  }

  /** The collection and the object that is scaled, or why there is none. */
  private targetOf({ spec, metadata }: Autoscaler): [ResourceKey, Target] | string {
    const { apiVersion = '', kind, name } = spec.scaleTargetRef
    const definition = definitionOfKind(apiVersion, kind)
    if (!definition?.subresources.includes('scale'))
      return `no matches for kind "${kind}" in group "${apiVersion.split('/')[0] ?? ''}"`
    const target = this.cluster.store.get<Target>(definition.key, metadata.namespace ?? '', name)
    return target ? [definition.key, target] : `${definition.plural}.${definition.group} "${name}" not found`
  }

  private warn(autoscaler: Autoscaler, reason: string, message: string): void {
    this.cluster.events.record(autoscaler, SOURCE, { type: 'Warning', reason, message })
  }
}

interface Work {
  readonly autoscaler: Autoscaler
  readonly resource: ResourceKey
  readonly target: Target
  readonly conditions: Conditions
}
interface Proposals {
  readonly found: readonly Proposal[]
  readonly statuses: readonly object[]
  readonly failure: string | null
}

const statusOf = (target: Target, desired: number, metrics: readonly object[]): AutoscalerStatus => ({
  // Nought is left out, as Go does it.
  currentReplicas: target.spec.replicas || undefined,
  desiredReplicas: desired,
  currentMetrics: metrics.length > 0 ? metrics : null,
})

const resourceOf = ({ spec }: Autoscaler): string =>
  spec.metrics?.[0]?.resource?.name ?? spec.metrics?.[0]?.containerResource?.name ?? ''

/** All metrics must be satisfied: the one that needs most counts. */
function highest(proposals: readonly Proposal[]): Proposal | null {
  return proposals.reduce<Proposal | null>((best, one) => (best && best.replicas >= one.replicas ? best : one), null)
}

function tellStability(conditions: Conditions, { stabilized }: Limited): void {
  const recent = 'recent recommendations were'
  if (stabilized === 'down') {
    const message = `${recent} higher than current one, applying the highest recent recommendation`
    conditions.set('AbleToScale', 'True', ['ScaleDownStabilized', message])
  } else if (stabilized === 'up') {
    const message = `${recent} lower than current one, applying the lowest recent recommendation`
    conditions.set('AbleToScale', 'True', ['ScaleUpStabilized', message])
  } else {
    conditions.set('AbleToScale', 'True', ['ReadyForNewScale', 'recommended size matches current size'])
  }
}

const LIMITS: Readonly<Record<string, string>> = {
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
}

function tellLimit(conditions: Conditions, { limit }: Limited): void {
  if (limit === null) {
    conditions.set('ScalingLimited', 'False', [
      'DesiredWithinRange',
      'the desired count is within the acceptable range',
    ])
  } else {
    conditions.set('ScalingLimited', 'True', [limit, LIMITS[limit] ?? ''])
  }
}
