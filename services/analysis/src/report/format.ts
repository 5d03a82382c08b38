const whole = new Intl.NumberFormat('en-US')
const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** `1234` → `1,234`. */
export const count = (n: number): string => whole.format(n)

/** `n` with its noun: `1 check`, `3 checks`. */
export const plural = (n: number, noun: string, many = `${noun}s`): string => `${count(n)} ${n === 1 ? noun : many}`

/** At most one digit after the point: `41.6`. */
export const decimal = (n: number): string => oneDigit.format(n)

/** A share of 0–1 as per cent. Rounded away from both ends, so `100 %` means all and `0 %` none. */
export function percent(share: number): string {
  const value = share * 100
  if (value > 99.9 && share < 1) return '> 99.9 %'
  if (value < 0.1 && share > 0) return '< 0.1 %'
  return `${oneDigit.format(value)} %`
}

/** Milliseconds for people: `850 ms`, `14.2 s`, `3 min 20 s`, `1 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${ms < 10 ? oneDigit.format(ms) : Math.round(ms)} ms`
  if (ms < 59_950) return `${oneDigit.format(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60]
  if (h > 0) return min ? `${h} h ${min} min` : `${h} h`
  return s ? `${min} min ${s} s` : `${min} min`
}

/** A moment of a run, relative to the first fault: `+14.2 s`, `−5 s`. */
export function offset(ms: number): string {
  if (Math.abs(ms) < 0.05) return '0 s'
  return `${ms < 0 ? '\u2212' : '+'}${duration(Math.abs(ms))}`
}

/** As `offset`, short enough for an axis: `+20 s`, `+1:20 min`. */
export function axisTime(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 60) return offset(ms)
  const sign = ms < 0 ? '\u2212' : '+'
  return `${sign}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
}

/** An ISO timestamp as `2026-11-30 09:34:13 UTC`. */
export const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

/** Bytes as `128 MiB`. */
export function bytes(n: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = n === 0 ? 0 : Math.min(4, Math.floor(Math.log2(Math.abs(n)) / 10))
  return `${decimal(n / 1024 ** power)} ${units[power]}`
}

/** At most `limit` characters, with an ellipsis where some are left out. */
export const shorten = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`

/** The first `limit` of a list in words, and how many more there are. */
export function listed(items: readonly string[], limit = 6): string {
  const more = items.length - limit
  return more > 0 ? `${items.slice(0, limit).join(', ')} and ${more} more` : items.join(', ')
}
