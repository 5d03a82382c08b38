import { type PodUsage } from '../api/engine-port.js'
import { conditionOf, type Container, type Pod } from '../controllers/objects.js'
import { parseQuantity } from '../schema/quantity.js'
import { WINDOW_MS } from '../compute/usage-meter.js'
import { type MetricTarget } from './autoscaler.js'

/** A pod that started less than this ago may still be busy with that. */
const INITIALIZATION_MS = 300_000
/** A pod that became unready so soon after its start has never been ready. */
const FIRST_READINESS_MS = 30_000
const DEFAULT_TOLERANCE = 0.1

/** Thrown when a metric cannot be computed; the message is the controller's. */
export class MetricError extends Error {}

/** One metric, and what it is about. */
export interface Metric {
  readonly resource: string
  /** Only this container of each pod. */
  readonly container: string | null
  readonly target: MetricTarget
  readonly tolerance?: { readonly up: number; readonly down: number }
}

export interface Scene {
  readonly pods: readonly Pod[]
  readonly current: number
  readonly nowMs: number
  usageOf(pod: Pod): PodUsage | null
}

export interface Count {
  readonly replicas: number
  /** Percent of requests; null where the target is an amount. */
  readonly utilization: number | null
  /** Mean use per pod: cores, or bytes. */
  readonly average: number
}

/**
 * How many replicas bring a resource metric to its target, as the controller of Kubernetes counts: pods that are not ready
 * or have no metrics yet count as idle on the way up and as being on target on the way down; nothing happens within the
 * tolerance. Throws MetricError.
 */
export function countReplicas(metric: Metric, scene: Scene): Count {
  const groups = group(metric, scene)
  if (groups.measured.size === 0) throw new MetricError(NO_METRICS)
  const ready = [...groups.measured].filter(([pod]) => !groups.unready.has(pod) && !groups.ignored.has(pod))
  if (ready.length === 0) throw new MetricError(NOBODY_READY)
  const asked = requestsOf(metric, scene.pods, groups)
  const { ratio, utilization } = ratioOf(metric.target, ready, asked)
  const complete = groups.missing.size === 0 && (groups.unready.size === 0 || ratio <= 1)
  const replicas = complete
    ? rounded(metric, ratio, { count: ready.length, current: scene.current })
    : countWithGuesses({ metric, groups, asked, ready, ratio }, scene.current)
  return { replicas, utilization, average: mean(ready.map(([, use]) => use)) }
}

function rounded(metric: Metric, ratio: number, { count, current }: { count: number; current: number }): number {
  return within(metric, ratio) ? current : Math.ceil(ratio * count)
}

/** The guesses never turn the direction around, nor move the count against it. */
function countWithGuesses(unbalanced: Unbalanced, current: number): number {
  const { metric, asked, ratio } = unbalanced
  const balanced = rebalance(unbalanced)
  const again = ratioOf(metric.target, balanced, asked).ratio
  if (Math.sign(ratio - 1) !== Math.sign(again - 1)) return current
  const replicas = rounded(metric, again, { count: balanced.length, current })
  return Math.sign(replicas - current) === Math.sign(again - 1) ? replicas : current
}

const NO_METRICS = 'unable to get metrics for resource %: no metrics returned from resource metrics API'
const NOBODY_READY = 'did not receive metrics for targeted pods (pods might be unready)'

interface Groups {
  readonly measured: ReadonlyMap<Pod, number>
  readonly missing: ReadonlySet<Pod>
  readonly unready: ReadonlySet<Pod>
  readonly ignored: ReadonlySet<Pod>
}

function group(metric: Metric, scene: Scene): Groups {
  const measured = new Map<Pod, number>()
  const sets = { missing: new Set<Pod>(), unready: new Set<Pod>(), ignored: new Set<Pod>() }
  for (const pod of scene.pods) {
    const usage = scene.usageOf(pod)
    const use = usage && useOf(metric, usage)
    if (use !== null) measured.set(pod, use)
    const where = placeOf(pod, use === null ? null : (usage?.endMs ?? 0), metric, scene.nowMs)
    if (where !== 'measured') sets[where].add(pod)
  }
  return { measured, ...sets }
}

/** `measuredMs`: when its metrics are of; null without any. */
function placeOf(
  pod: Pod,
  measuredMs: number | null,
  { resource }: Metric,
  nowMs: number,
): 'ignored' | 'unready' | 'missing' | 'measured' {
  if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') return 'ignored'
  if (pod.status?.phase === 'Pending') return 'unready'
  if (measuredMs === null) return 'missing'
  return resource === 'cpu' && isUnready(pod, nowMs, measuredMs) ? 'unready' : 'measured'
}

function useOf({ resource, container }: Metric, { containers }: PodUsage): number | null {
  const wanted = container === null ? containers : containers.filter(({ name }) => name === container)
  if (wanted.length === 0) return null
  return wanted.reduce((sum, one) => sum + (resource === 'cpu' ? one.cpuCores : one.memoryBytes), 0)
}

/** CPU of a pod that is starting says nothing about its load. */
function isUnready(pod: Pod, nowMs: number, measuredMs: number): boolean {
  const ready = conditionOf(pod.status?.conditions, 'Ready')
  const started = Date.parse(pod.status?.startTime ?? '')
  if (!ready || Number.isNaN(started)) return true
  const changed = Date.parse(ready.lastTransitionTime ?? '')
  if (started + INITIALIZATION_MS > nowMs) return ready.status === 'False' || measuredMs < changed + WINDOW_MS
  return ready.status === 'False' && started + FIRST_READINESS_MS > changed
}

/** What each pod asked for, for targets in percent of that. */
function requestsOf(
  { resource, container, target }: Metric,
  pods: readonly Pod[],
  { ignored }: Groups,
): Map<Pod, number> {
  if (target.type !== 'Utilization') return new Map()
  return new Map(
    pods.filter((pod) => !ignored.has(pod)).map((pod) => [pod, requestOf(pod, { resource, container })] as const),
  )
}

function requestOf(pod: Pod, { resource, container }: Pick<Metric, 'resource' | 'container'>): number {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const wanted = [...pod.spec.containers, ...sidecars].filter(({ name }) => container === null || name === container)
  return wanted.reduce((sum, one) => sum + requestOfContainer(one, resource, pod), 0)
}

function requestOfContainer({ name, resources }: Container, resource: string, pod: Pod): number {
  const request = resources?.requests?.[resource] ?? resources?.limits?.[resource]
  if (request !== undefined) return parseQuantity(request)
  throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`)
}

interface Ratio {
  readonly ratio: number
  readonly utilization: number | null
}

function ratioOf(
  target: MetricTarget,
  measured: readonly (readonly [Pod, number])[],
  asked: ReadonlyMap<Pod, number>,
): Ratio {
  const used = measured.reduce((sum, [, use]) => sum + use, 0)
  if (target.type !== 'Utilization') {
    return { ratio: used / measured.length / parseQuantity(target.averageValue ?? 0), utilization: null }
  }
  const requested = measured.reduce((sum, [pod]) => sum + (asked.get(pod) ?? 0), 0)
  if (requested === 0) throw new MetricError('no metrics returned matched known pods')
  const utilization = Math.floor((used * 100) / requested)
  return { ratio: utilization / (target.averageUtilization ?? 100), utilization }
}

interface Unbalanced {
  readonly metric: Metric
  readonly groups: Groups
  readonly asked: ReadonlyMap<Pod, number>
  readonly ready: readonly (readonly [Pod, number])[]
  readonly ratio: number
}

/** The measured pods with a guess for the others that keeps the count from moving too far. */
function rebalance({ metric: { target }, groups, asked, ready, ratio }: Unbalanced): (readonly [Pod, number])[] {
  const onTarget = (pod: Pod): number =>
    target.type === 'Utilization'
      ? ((asked.get(pod) ?? 0) * Math.max(100, target.averageUtilization ?? 100)) / 100
      : parseQuantity(target.averageValue ?? 0)
  const missing = [...groups.missing].map((pod) => [pod, ratio < 1 ? onTarget(pod) : 0] as const)
  const unready = ratio > 1 ? [...groups.unready].map((pod) => [pod, 0] as const) : []
  return [...ready, ...missing, ...unready]
}

function within({ tolerance }: Metric, ratio: number): boolean {
  const { up, down } = tolerance ?? { up: DEFAULT_TOLERANCE, down: DEFAULT_TOLERANCE }
  return ratio <= 1 + up + 1e-9 && ratio >= 1 - down - 1e-9
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
