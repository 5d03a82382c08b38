import { z } from 'zod'
import { InputError } from './errors.js'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/**
 * Milliseconds of a strict duration: `"30s"`, `"1.5m"`, `"500ms"`, `"1m30s"`. A bare number is refused, because nobody
 * can tell its unit.
 */
export function parseDuration(text: string): number {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new InputError(`'${text}' is not a duration`, null, `Write a number with a unit, such as '30s' or '1.5m'`)
  }
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)
  return [...parts].reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit as keyof typeof UNITS], 0)
}

/** The shortest strict duration that equals `ms`, in whole units: 90000 → `"90s"`, 1500 → `"1500ms"`. */
export function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${Math.round(ms)}ms`
}

/** A duration in configuration: written `"30s"`, read as milliseconds. */
export const durationSchema = z.string().transform((text, context) => {
  try {
    return parseDuration(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})
