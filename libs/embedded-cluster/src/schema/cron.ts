/** The minutes at which a schedule fires, each field as the set of values that it takes. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** Both day fields are restricted: either may match. */
  readonly eitherDay: boolean
}

const ALIASES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

interface Range {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}
const FIELDS: readonly Range[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: WEEKDAYS },
]

/** Reads a schedule of five fields or one of the `@` names. Throws RangeError. */
export function parseCron(text: string): CronSchedule {
  const parts = (ALIASES[text.trim()] ?? text).trim().split(/\s+/)
  if (parts.length !== FIELDS.length) {
    throw new RangeError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)
  }
  const [minutes, hours, days, months, weekdays] = parts.map((part, i) => valuesOf(part, FIELDS[i] as Range))
  const open = (part = '') => part.startsWith('*') || part.startsWith('?')
  return {
    minutes: minutes as Set<number>,
    hours: hours as Set<number>,
    days: days as Set<number>,
    months: months as Set<number>,
    weekdays: weekdays as Set<number>,
    eitherDay: !open(parts[2]) && !open(parts[4]),
  }
}

/** What is wrong with a schedule, or null. */
export function cronProblem(text: string): string | null {
  try {
    parseCron(text)
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

function valuesOf(field: string, range: Range): Set<number> {
  return new Set(field.split(',').flatMap((part) => partValues(part, range)))
}

function partValues(part: string, range: Range): number[] {
  const [span = '', step, ...more] = part.split('/')
  if (more.length > 0) throw new RangeError(`too many slashes: ${part}`)
  const [from, to] = ends(span, range, step !== undefined)
  const by = step === undefined ? 1 : Number(step)
  if (!Number.isInteger(by) || by < 1) throw new RangeError(`step of range should be a positive number: ${part}`)
  if (from < range.min) throw new RangeError(`beginning of range (${from}) below minimum (${range.min}): ${part}`)
  if (to > range.max) throw new RangeError(`end of range (${to}) above maximum (${range.max}): ${part}`)
  if (from > to) throw new RangeError(`beginning of range (${from}) beyond end of range (${to}): ${part}`)
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => from + i * by)
}

function ends(span: string, range: Range, stepped: boolean): [number, number] {
  if (span === '*' || span === '?') return [range.min, range.max]
  const [low = '', high, ...more] = span.split('-')
  if (more.length > 0) throw new RangeError(`too many hyphens: ${span}`)
  const from = numberOf(low, range)
  if (high === undefined) return [from, stepped ? range.max : from]
  return [from, numberOf(high, range)]
}

function numberOf(text: string, { names }: Range): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return names === MONTHS ? named + 1 : named
  if (!/^\d{1,4}$/.test(text)) throw new RangeError(`failed to parse int from ${text}`)
  return Number(text)
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 3_600_000
/** Within so many days every schedule that ever fires has fired (29 February may be eight years away). */
const HORIZON_DAYS = 8 * 366 + 1

/** The first firing after a time, ms since the epoch in UTC; null for one that never comes (30 February). */
export function nextFiring(schedule: CronSchedule, afterMs: number): number | null {
  let time = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS
  for (let day = 0; day <= HORIZON_DAYS; day++) {
    const end = Math.floor(time / DAY_MS) * DAY_MS + DAY_MS
    const found = firesOn(schedule, new Date(time)) ? withinDay(schedule, time, end) : null
    if (found !== null) return found
    time = end
  }
  return null
}

function firesOn(schedule: CronSchedule, date: Date): boolean {
  const { days, weekdays, months, eitherDay } = schedule
  if (!months.has(date.getUTCMonth() + 1)) return false
  const day = days.has(date.getUTCDate())
  const weekday = weekdays.has(date.getUTCDay())
  return eitherDay ? day || weekday : day && weekday
}

function withinDay({ hours, minutes }: CronSchedule, from: number, end: number): number | null {
  for (let time = from; time < end; time += MINUTE_MS) {
    const date = new Date(time)
    if (hours.has(date.getUTCHours()) && minutes.has(date.getUTCMinutes())) return time
  }
  return null
}
