import { type Autoscaler, type ScalingPolicy, type ScalingRules } from './autoscaler.js'

const MINUTES_5 = 300

/** Numbers in the past that bound what may be done now. */
export interface ScalingHistory {
  /** Recommendations, oldest first. */
  readonly recommendations: readonly { readonly atMs: number; readonly replicas: number }[]
  /** Changes that were made, as differences. */
  readonly ups: readonly Change[]
  readonly downs: readonly Change[]
}
interface Change {
  readonly atMs: number
  readonly by: number
}

export interface Limited {
  readonly replicas: number
  /** Whether older recommendations overruled the newest: `ScaleDownStabilized`, `ScaleUpStabilized`. */
  readonly stabilized: 'up' | 'down' | null
  /** Why the number is not what was wanted: `TooManyReplicas`, `ScaleUpLimit`, … */
  readonly limit: string | null
}

interface Wish {
  readonly current: number
  readonly desired: number
  readonly nowMs: number
}

/** What the autoscaler's bounds, windows and policies leave of a wish. */
export function limitScaling({ spec }: Autoscaler, wish: Wish, history: ScalingHistory): Limited {
  const up = { ...DEFAULT_UP, ...spec.behavior?.scaleUp }
  const down = { ...DEFAULT_DOWN, ...spec.behavior?.scaleDown }
  const stable = stabilize(wish, { up, down }, history)
  const stabilized = stable === wish.desired ? null : stable < wish.desired ? 'up' : 'down'
  const { minReplicas = 1, maxReplicas } = spec
  const limited =
    stable > wish.current
      ? limitUp({ ...wish, desired: stable }, { up, maxReplicas, behaves: spec.behavior !== undefined }, history)
      : limitDown({ ...wish, desired: stable }, { down, minReplicas }, history)
  return { ...limited, stabilized }
}

type FullRules = ScalingRules & Required<Pick<ScalingRules, 'stabilizationWindowSeconds' | 'selectPolicy' | 'policies'>>

const DEFAULT_UP: FullRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const DEFAULT_DOWN: FullRules = {
  stabilizationWindowSeconds: MINUTES_5,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

/** Up no further than the lowest, down no further than the highest recommendation of the window. */
function stabilize(
  { current, desired, nowMs }: Wish,
  { up, down }: { up: FullRules; down: FullRules },
  { recommendations }: ScalingHistory,
): number {
  const since = (seconds: number) =>
    recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map(({ replicas }) => replicas)
  const low = Math.min(desired, ...since(up.stabilizationWindowSeconds))
  const high = Math.max(desired, ...since(down.stabilizationWindowSeconds))
  return Math.min(Math.max(current, low), high)
}

/** Without a behaviour of its own an autoscaler at most doubles, or goes to four, at a time. */
function limitUp(
  { current, desired, nowMs }: Wish,
  { up, maxReplicas, behaves }: { up: FullRules; maxReplicas: number; behaves: boolean },
  history: ScalingHistory,
): Omit<Limited, 'stabilized'> {
  const start = ({ periodSeconds }: ScalingPolicy) =>
    current - changes(history.ups, nowMs, periodSeconds) + changes(history.downs, nowMs, periodSeconds)
  const reach = (policy: ScalingPolicy) =>
    policy.type === 'Pods' ? start(policy) + policy.value : Math.ceil(start(policy) * (1 + policy.value / 100))
  const rate = behaves ? Math.max(current, furthest(up, reach, current, 'up')) : Math.max(2 * current, 4)
  const bound = Math.min(rate, maxReplicas)
  if (desired <= bound) return { replicas: desired, limit: null }
  return { replicas: bound, limit: rate >= maxReplicas ? 'TooManyReplicas' : 'ScaleUpLimit' }
}

function limitDown(
  { current, desired, nowMs }: Wish,
  { down, minReplicas }: { down: FullRules; minReplicas: number },
  history: ScalingHistory,
): Omit<Limited, 'stabilized'> {
  const start = ({ periodSeconds }: ScalingPolicy) =>
    current - changes(history.ups, nowMs, periodSeconds) + changes(history.downs, nowMs, periodSeconds)
  const reach = (policy: ScalingPolicy) =>
    policy.type === 'Pods' ? start(policy) - policy.value : Math.floor(start(policy) * (1 - policy.value / 100))
  const rate = Math.min(current, furthest(down, reach, current, 'down'))
  const bound = Math.max(rate, minReplicas)
  if (desired >= bound) return { replicas: desired, limit: null }
  return { replicas: bound, limit: rate <= minReplicas ? 'TooFewReplicas' : 'ScaleDownLimit' }
}

/** `Max` takes the policy that allows the greatest change, `Min` the smallest, `Disabled` none. */
function furthest(
  { selectPolicy, policies }: FullRules,
  reach: (policy: ScalingPolicy) => number,
  current: number,
  direction: 'up' | 'down',
): number {
  if (selectPolicy === 'Disabled') return current
  const reached = policies.map(reach)
  const greatest = (selectPolicy === 'Min') !== (direction === 'up')
  return greatest ? Math.max(...reached) : Math.min(...reached)
}

function changes(list: readonly Change[], nowMs: number, seconds: number): number {
  return list.filter(({ atMs }) => atMs > nowMs - seconds * 1000).reduce((sum, { by }) => sum + by, 0)
}
