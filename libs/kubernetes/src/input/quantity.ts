import { InputError } from '@ordeal/shared'

const SUFFIXES: Record<string, number> = {
  ...{ '': 1, n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}

/** The number that a Kubernetes quantity stands for: `250m` → 0.25, `1Gi` → 1073741824. Throws InputError for others. */
export function parseQuantity(quantity: string | number): number {
  const value = quantityOrNull(quantity)
  if (value !== null) return value
  throw new InputError(`'${quantity}' is not a quantity`, null, "Write it like '250m' or '64Mi'")
}

/** As `parseQuantity`, with null for what is no quantity. */
export function quantityOrNull(quantity: string | number): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([a-zA-Z]*))$/.exec(String(quantity).trim())
  const factor = SUFFIXES[match?.[3] ?? '']
  if (!match || factor === undefined) return null
  return Number(`${match[1]}${match[2] ?? ''}`) * factor
}
