import { jsonrepair } from 'jsonrepair'

/** What a text holds as JSON, or why it holds none. */
export type ReadJson = { readonly value: unknown } | { readonly problem: string }

/** Longer answers are not looked through for JSON: the repair is not linear on every text. */
export const MAX_CHARACTERS = 256 * 1024
const FENCE = /```(?:json)?\s*\n([\s\S]*?)```/i

/** Reads the JSON object of an answer: as it stands, in a fence, amid prose, or with the slips that models make. */
export function readJson(text: string): ReadJson {
  if (text.length > MAX_CHARACTERS)
    return { problem: `the answer has ${text.length} characters, more than anybody asked for` }
  const fenced = FENCE.exec(text)?.[1]
  const [first, last] = [text.indexOf('{'), text.lastIndexOf('}')]
  const amidProse = first >= 0 && last > first ? text.slice(first, last + 1) : undefined
  const cutOff = first >= 0 ? text.slice(first) : undefined
  const value =
    firstOf([text, fenced, amidProse], JSON.parse) ??
    firstOf([fenced, amidProse, cutOff], (piece) => JSON.parse(jsonrepair(piece)) as unknown)
  return value === undefined ? { problem: 'the answer holds no JSON object' } : { value }
}

function firstOf(pieces: readonly (string | undefined)[], parse: (text: string) => unknown): unknown {
  for (const piece of pieces) {
    const value = piece === undefined ? undefined : parsed(piece, parse)
    if (value !== undefined) return value
  }
  return undefined
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    const value = parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
