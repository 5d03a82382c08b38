const RATE = /^(\d+(?:\.\d+)?)\s*([kmgt]?bps)$/i
const UNITS: Readonly<Record<string, number>> = {
  bps: 1,
  kbps: 1024,
  mbps: 1024 ** 2,
  gbps: 1024 ** 3,
  tbps: 1024 ** 4,
}

/** Reads a rate as Chaos Mesh writes it (`1mbps`: a mebibyte a second) into bytes per millisecond; null for anything else. */
export function parseRate(text: string | undefined): number | null {
  const [, amount, unit = ''] = RATE.exec(text?.trim() ?? '') ?? []
  const bytesPerSecond = Number(amount) * (UNITS[unit.toLowerCase()] ?? 0)
  return bytesPerSecond > 0 ? bytesPerSecond / 1000 : null
}
