import { type Outcome, type Results } from '@ordeal/shared'

/** What the process says by its exit code (design §7). */
export const EXIT = { good: 0, error: 1, vulnerable: 2, inconclusive: 3, cancelled: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const BY_OUTCOME: Readonly<Record<Outcome, ExitCode>> = {
  resilient: EXIT.good,
  improved: EXIT.good,
  vulnerable: EXIT.vulnerable,
  inconclusive: EXIT.inconclusive,
  cancelled: EXIT.cancelled,
  failed: EXIT.error,
}

/**
 * The exit code of a cycle. With `failOn: 'refuted'` an application that only held after a change counts as vulnerable:
 * what stands in the repository is what a gate judges.
 */
export function exitCodeOf(results: Pick<Results, 'cycle' | 'runs'>, failOn: 'refuted' | null): ExitCode {
  const given = results.runs.some((run) => run.revision === 0 && run.verdict === 'refuted')
  if (failOn === 'refuted' && given && results.cycle.outcome === 'improved') return EXIT.vulnerable
  return BY_OUTCOME[results.cycle.outcome]
}
