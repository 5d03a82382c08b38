import { type LogLevel } from '@ordeal/shared'
import { z } from 'zod'

/** The numbers by which log lines tell their level. */
const NUMBERS: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50, silent: Infinity }

const lineSchema = z.looseObject({ level: z.number(), message: z.string().optional(), url: z.string().optional() })
type Line = z.infer<typeof lineSchema>

function parse(line: string): Line | null {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}

/** The address in the line by which a service says that it runs; null in any other. */
export function addressIn(line: string): string | null {
  const parsed = parse(line)
  return parsed?.message === 'the service runs' ? (parsed.url ?? null) : null
}

/** Passes on the lines of a service's log that a level asks for, and whatever else it writes: that is never routine. */
export const passOn =
  (level: LogLevel, write: (text: string) => void) =>
  (line: string): void => {
    const parsed = parse(line)
    if (parsed ? parsed.level >= NUMBERS[level] : level !== 'silent') write(`${line}\n`)
  }

/** The least level at which a service still says that it runs. */
export const atLeastInfo = (level: LogLevel): 'info' | 'debug' => (level === 'debug' ? 'debug' : 'info')
