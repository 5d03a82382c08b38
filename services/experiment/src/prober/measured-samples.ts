import { PROBER_ERROR, type SampleLine } from '@ordeal/prober'

/**
 * The samples that say something of the application, in the order in which they were due. What the prober failed to
 * measure by its own fault (a busy node, an API that does not answer) is missing, and too much of it missing makes the
 * prober no witness.
 */
export const measured = (lines: readonly SampleLine[]): SampleLine[] =>
  lines.filter((sample) => !sample.error?.startsWith(PROBER_ERROR)).toSorted((a, b) => a.at - b.at)
