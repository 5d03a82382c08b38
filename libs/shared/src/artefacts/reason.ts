import { z } from 'zod'

/** What keeps a run from being carried out, or what ended it early. */
export const runProblem = z.enum([
  /** A fault that must not be injected: its rule is too wide, or means a namespace or pods that are nobody's to hit. */
  'refused',
  /** A fault's rule means no running pod. */
  'no-targets',
  /** The revision did not come to work in time. */
  'not-settled',
  /** The cluster refused an object of the revision, or something else that the cycle needed. */
  'rejected-by-cluster',
  /** Chaos Mesh has no record that a fault touched all of its targets. */
  'not-injected',
  /** It has one, but nothing shows at the targets. */
  'silent-injection',
  /** What was done could not be undone, or that could not be verified; or what was hit stays away and no check sees it. */
  'not-recovered',
  /** The prober did not come to run, did not run through, or missed too much. */
  'prober-lost',
  'cluster-lost',
  /** A guard stopped it before its time, and nothing had failed by then that refutes it. */
  'guard',
])

/** Why a verdict is inconclusive, or a cycle that has none: a closed set (docs/reasons.md). */
export const reasonSchema = z.enum([
  ...runProblem.options,
  /** A check failed before any fault was injected, or the application never worked. */
  'baseline-broken',
  /** The run did not test the hypothesis that was frozen. */
  'other-hypothesis',
  /** No steady state was left whose check can fail. */
  'no-checks',
  /** The time for the cycle ran out. */
  'deadline',
  /** A person rejected the hypothesis, or nobody approved it in time. */
  'not-approved',
])
export type Reason = z.infer<typeof reasonSchema>
