const UNIT_MS: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const PART = /^(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/

/** Milliseconds of a duration as Go's time.ParseDuration reads it ("1m30s", "250ms", "0"); null when it does not. */
export function parseGoDuration(text: string): number | null {
  const negative = text.startsWith('-')
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0
  if (rest === '') return null
  let total = 0
  while (rest !== '') {
    const part = PART.exec(rest)
    if (!part) return null
    total += Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? 0)
    rest = rest.slice(part[0].length)
  }
  return negative ? -total : total
}
