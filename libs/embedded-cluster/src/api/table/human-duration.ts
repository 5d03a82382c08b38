const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** How kubectl shows an age: the largest unit, with the next one while the number is small. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 2 * MINUTE) return `${Math.max(0, seconds)}s`
  if (seconds < 10 * MINUTE) return two(seconds, [MINUTE, 'm'], [1, 's'])
  if (seconds < 3 * HOUR) return `${Math.trunc(seconds / MINUTE)}m`
  if (seconds < 8 * HOUR) return two(seconds, [HOUR, 'h'], [MINUTE, 'm'])
  if (seconds < 2 * DAY) return `${Math.trunc(seconds / HOUR)}h`
  if (seconds < 8 * DAY) return two(seconds, [DAY, 'd'], [HOUR, 'h'])
  if (seconds < 2 * YEAR) return `${Math.trunc(seconds / DAY)}d`
  return seconds < 8 * YEAR ? two(seconds, [YEAR, 'y'], [DAY, 'd']) : `${Math.trunc(seconds / YEAR)}y`
}

function two(seconds: number, [large, largeName]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.trunc((seconds % large) / small)
  return `${Math.trunc(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`
}
