import { z } from 'zod'
import { objectId } from './graph.js'

/** Messages say what a field wants: they are what a person, or a model, reads who wrote it wrongly. */
const wants = (what: string): { error: string } => ({ error: `must be ${what}` })

/** A length of time in milliseconds, which may be a fraction of one: `2.5`. */
export const milliseconds = z.number(wants('a number of milliseconds, 0 or more')).nonnegative()
/** Percent, 0 to 100. */
export const percent = z.number(wants('a percentage from 0 to 100')).min(0).max(100)
/** How much of the last packet's lot the next one shares, in percent. */
export const correlation = percent.optional()
export const positive = z.number(wants('a whole number of 1 or more')).int().positive()
export const wholeNumber = z.number(wants('a whole number')).int()
export const text = z.string(wants('a text that is not empty')).min(1)

/** Names of the containers that are meant; without them Chaos Mesh takes a pod's first. */
export const containers = z.array(text).min(1).optional()

export const selector = z.record(z.string(), z.string())

/**
 * A frozen rule: which component, and how many of its pods; `node` for all on the node that holds most of them. The pods
 * it resolves to are evidence of each run.
 */
export const targetRule = z.object({
  component: objectId,
  selector,
  mode: z.enum(['one', 'fixed', 'all', 'node'], wants('one, fixed (with count), all or node')),
  /** How many with mode `fixed`; null otherwise. */
  count: z.number().int().positive().nullable(),
})

/** Twelve hours: whoever wants to break something for longer has another purpose. */
const LONGEST_MS = 12 * 3_600_000

/** What every fault has. `durationMs` ends it whatever happens to us. */
const faultBase = {
  id: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/, wants('up to 40 letters, digits and inner dashes')),
  target: targetRule,
  durationMs: z
    .number(wants('a whole number of milliseconds, from 1 to those of 12 hours'))
    .int()
    .positive()
    .max(LONGEST_MS),
  /** From the start of its step; without it, at once. */
  startAfterMs: z
    .number(wants('a whole number of milliseconds, 0 or more'))
    .int()
    .nonnegative()
    .max(LONGEST_MS)
    .optional(),
}

type Action<K extends string, A extends string, P extends z.ZodType> = z.ZodObject<
  typeof faultBase & {
    kind: z.ZodLiteral<K>
    action: z.ZodLiteral<A>
    parameters: P
    stronger: z.ZodOptional<z.ZodArray<P>>
  }
>

/**
 * One action of a kind. `stronger` is the fault's ladder: parameters that are tried, each in place of the last, when the
 * injector reports the fault as injected and nothing shows at its targets.
 */
export const actionOf = <K extends string, A extends string, P extends z.ZodType>(
  kind: K,
  action: A,
  parameters: P,
): Action<K, A, P> =>
  z.object({
    ...faultBase,
    kind: z.literal(kind),
    action: z.literal(action),
    parameters,
    stronger: z.array(parameters).optional(),
  })
