import { parseSamples, PROBER_ERROR, type SampleLine } from '@ordeal/prober'

/**
 * The samples of a prober's log, in the order in which they were due. What the prober failed to measure by its own fault
 * (a busy node, an API that does not answer) says nothing of the application: it is missing, and too much of it missing
 * makes the prober no witness. Throws an Error for a line that is not a sample.
 */
export const measuredSamples = (log: string): SampleLine[] =>
  parseSamples(log)
    .filter((sample) => !sample.error?.startsWith(PROBER_ERROR))
    .toSorted((a, b) => a.at - b.at)
