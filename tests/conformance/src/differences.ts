import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Difference } from './compare.js'

/** `*` stands for any text. */
const pattern = z.string().min(1)

const knownSchema = z.array(
  z.strictObject({
    scenario: pattern.default('*'),
    object: pattern.default('*'),
    track: pattern.default('*'),
    text: pattern.default('*'),
    /** Why the embedded cluster differs, or why it cannot be judged here. */
    reason: z.string().min(20),
  }),
)
export type Known = z.output<typeof knownSchema>[number]

/** The differences that are known, each with its reason. Throws for a file that is wrong. */
export async function readKnown(path: string): Promise<readonly Known[]> {
  return knownSchema.parse(parse(await readFile(path, 'utf8')) ?? [])
}

export interface Judged {
  readonly unexplained: readonly Difference[]
  readonly explained: readonly Difference[]
  /** Known differences that none was found for: they have been mended, or never were. */
  readonly unused: readonly Known[]
}

/** Tells differences that are known from those that are not. */
export function judge(differences: readonly Difference[], known: readonly Known[]): Judged {
  const fits = (one: Difference) => (entry: Known) =>
    (['scenario', 'object', 'track', 'text'] as const).every((key) => matches(one[key], entry[key]))
  return {
    unexplained: differences.filter((one) => !known.some(fits(one))),
    explained: differences.filter((one) => known.some(fits(one))),
    unused: known.filter((entry) => !differences.some((one) => fits(one)(entry))),
  }
}

const matches = (text: string, glob: string): boolean => {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
