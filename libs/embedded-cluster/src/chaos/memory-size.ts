const SIZE = /^(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?b)?$/i
const POWERS = 'kmgtp'

/**
 * Bytes as Chaos Mesh reads them: `256MB` (powers of 1,000, as its library does, whether written MB or MiB), or a share
 * of the node's memory (`25%`). Null for anything else.
 */
export function memorySize(text: string | undefined, nodeBytes: number): number | null {
  if (text === undefined) return null
  const percent = /^(\d{1,3})%$/.exec(text)?.[1]
  if (percent !== undefined) return Number(percent) <= 100 ? (nodeBytes * Number(percent)) / 100 : null
  const [, amount, unit = ''] = SIZE.exec(text) ?? []
  if (amount === undefined) return null
  return Number(amount) * 1000 ** (unit === '' ? 0 : POWERS.indexOf(unit.toLowerCase()) + 1)
}
