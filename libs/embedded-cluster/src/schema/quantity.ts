const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

/** Whether a JSON value is a Kubernetes quantity: `100m`, `64Mi`, `1e3`, `0.5`, 2. */
export function isQuantity(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && QUANTITY.test(value)
}

/** Units of thousand from 10⁻⁹ up, as a quantity is written in the decimal form. */
const DECIMAL_UNITS = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']

/**
 * The form in which Kubernetes stores a quantity: the largest unit in which it is whole (`0.5` → `500m`, `1024Mi` →
 * `1Gi`). What is finer than a billionth, or written with an exponent, stays as it is.
 */
export function canonicalQuantity(value: string | number): string {
  const text = String(value)
  const [, number = '', binary, decimal = '', exponent] = QUANTITY.exec(text) ?? []
  if (exponent !== undefined) return text
  return binary ? canonicalBinary(text, number, BINARY.indexOf(binary)) : canonicalDecimal(text, number, decimal)
}

function canonicalDecimal(text: string, number: string, unit: string): string {
  const [whole = '', fraction = ''] = number.split('.')
  const power = (DECIMAL[unit] ?? 0) + 9 - fraction.length
  if (power < 0) return text
  const digits = BigInt(`${whole.replace(/^[+-]/, '')}${fraction}`) * 10n ** BigInt(power)
  return inLargestUnit(whole.startsWith('-') ? -digits : digits)
}

function inLargestUnit(billionths: bigint): string {
  if (billionths === 0n) return '0'
  let rest = billionths
  let unit = 0
  while (unit < DECIMAL_UNITS.length - 1 && rest % 1000n === 0n) {
    rest /= 1000n
    unit++
  }
  return `${rest}${DECIMAL_UNITS[unit]}`
}

function canonicalBinary(text: string, number: string, unit: number): string {
  if (number.includes('.')) return text
  let rest = BigInt(number)
  let power = unit
  while (rest !== 0n && power < BINARY.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n
    power++
  }
  return rest === 0n ? '0' : `${rest}${BINARY[power]}`
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
