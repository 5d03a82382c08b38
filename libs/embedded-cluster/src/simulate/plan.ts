import { type ProberConfig } from '@ordeal/prober'

/** An object of Kubernetes or Chaos Mesh as a manifest gives it; without a namespace it goes to `default`. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

/** An object by its name. */
export type ObjectName = Pick<Manifest, 'apiVersion' | 'kind' | 'metadata'>

/** What is done to the cluster at `at` ms after the start of the pre window; at one time, in the order of the list. */
export type SimulatedAction = { readonly at: number } & (
  | { readonly do: 'create'; readonly object: Manifest }
  /** `patch` is a JSON merge patch (RFC 7386). */
  | { readonly do: 'patch'; readonly object: ObjectName; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly do: 'delete'; readonly object: ObjectName }
)

/** What is done to a settled application, and what of it is measured. Times are virtual milliseconds. */
export interface SimulationPlan {
  /** Lengths of the windows. */
  readonly timing: { readonly preMs: number; readonly faultMs: number; readonly postMs: number }
  /** Faults are Chaos objects that are created and deleted; other changes of manifests and objects are actions, too. */
  readonly actions: readonly SimulatedAction[]
  /** Sampled from the pre window's start to the post window's end. Scripts need the prober's `loadSandbox()` before. */
  readonly probes: ProberConfig['probes']
}

/** Throws a RangeError for a time that is no time, or beyond the post window. */
export function checkPlan({ timing, actions }: SimulationPlan): void {
  const { preMs, faultMs, postMs } = timing
  for (const [name, ms] of Object.entries(timing)) {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`timing.${name} must be milliseconds, not ${ms}`)
  }
  const endMs = preMs + faultMs + postMs
  actions.forEach(({ at }, index) => {
    if (!(at >= 0 && at <= endMs)) throw new RangeError(`actions[${index}].at must be within 0 and ${endMs}, not ${at}`)
  })
}
