import { type Endpoint } from '@ordeal/shared'

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
}

/**
 * List prices of the vendor on 2025-08-07, by the beginning of a model's name, the longest that fits; without discounts for cached or batched input,
 * so a bill is rather lower. An endpoint's own `price` goes first.
 */
const PRICES: Readonly<Record<string, Price>> = {
  'gpt-4o-mini': { input: 0.15, output: 0.6 },
  'gpt-4o': { input: 2.5, output: 10 },
  'gpt-4.1-nano': { input: 0.1, output: 0.4 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6 },
  'gpt-4.1': { input: 2, output: 8 },
  'gpt-5-nano': { input: 0.05, output: 0.4 },
  'gpt-5-mini': { input: 0.25, output: 2 },
  'gpt-5': { input: 1.25, output: 10 },
}

/** What a model's tokens cost, or null when nobody said: then only tokens are counted. */
export function priceOf({ model, price }: Pick<Endpoint, 'model' | 'price'>): Price | null {
  if (price) return price
  const known = Object.keys(PRICES)
    .filter((name) => model === name || new RegExp(`^${name.replaceAll('.', '\\.')}-\\d{4}`).test(model))
    .toSorted((a, b) => b.length - a.length)[0]
  return known ? (PRICES[known] ?? null) : null
}

/** US dollars; 0 without a price. */
export const costOf = (price: Price | null, inputTokens: number, outputTokens: number): number =>
  price ? (inputTokens * price.input + outputTokens * price.output) / 1e6 : 0
