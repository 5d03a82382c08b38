const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

/** Whether a JSON value is a Kubernetes quantity: `100m`, `64Mi`, `1e3`, `0.5`, 2. */
export function isQuantity(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && QUANTITY.test(value)
}

/** A quantity in its base unit (cores, bytes). Throws RangeError when it is none. */
export function parseQuantity(value: string | number): number {
  const match = QUANTITY.exec(String(value))
  if (!match) throw new RangeError(`not a quantity: ${value}`)
  const [, number, binary, decimal, exponent] = match
  const base = Number(number)
  if (binary) return base * 1024 ** BINARY.indexOf(binary)
  const power = decimal ? (DECIMAL[decimal] ?? 0) : Number(exponent ?? 0)
  // Dividing keeps 100m exactly 0.1, which multiplying by 1e-3 would not.
  return power < 0 ? base / 10 ** -power : base * 10 ** power
}
