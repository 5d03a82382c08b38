import { type Finding, type Results, type Run, type Verdict } from '@ordeal/shared'

/** Everything a report is made of. All of it is already free of credentials. */
export interface ReportInput {
  results: Results
  /** The runs with their samples, in the order of `results.runs`; one that is missing costs its timeline only. */
  runs: readonly Run[]
  /** The findings of `results` with the place of each in the user's files. */
  findings: readonly Finding[]
  /** Unified diff from the user's files to the improved ones; null or empty when nothing is proposed. */
  patch: string | null
  /** What the hypothesis took for granted; those of the cluster are in `results`. */
  assumptions: readonly string[]
  /** Verdicts by revision, for the score of each run and its comparison with its parent. */
  verdicts?: readonly Verdict[]
  /** The command that repeats the cycle; made from the seed when it is not given. */
  command?: string | null
}

/** A file of the report. */
export interface ReportFile {
  name: string
  content: string
}
