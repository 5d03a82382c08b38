/** What stands in place of a credential, and the values by reference. */
export type Secrets = Record<string, string>

const PREFIX = 'ordeal-secret:'
/** How every text begins that is base64 of a reference: `Secret.data` holds references so, and stays valid. */
const ENCODED_PREFIX = 'b3JkZWFsLXNlY3JldDo'
const REFERENCE = /ordeal-secret:\d+;?/g

export const referenceTo = (number: number): string => `${PREFIX}${number}`
const encode = (text: string): string => Buffer.from(text).toString('base64')
const decode = (text: string): string => Buffer.from(text, 'base64').toString()

/** Changes a text, but not the references in it. */
export function outsideReferences(text: string, change: (piece: string) => string): string {
  if (text.startsWith(ENCODED_PREFIX)) return text
  const found = [...text.matchAll(REFERENCE)]
  const pieces = text.split(REFERENCE)
  return pieces.map((piece, index) => change(piece) + (found[index]?.[0] ?? '')).join('')
}

/** A text that would be taken for a reference if it stayed. */
export const looksLikeReference = (text: string): boolean => text.includes(PREFIX) || text.startsWith(ENCODED_PREFIX)

/** Gives out references in order, one for each value however often it is met. */
export class References {
  private readonly byValue = new Map<string, string>()

  /** `ordeal-secret:<n>`. */
  for(value: string): string {
    const known = this.byValue.get(value)
    if (known) return known
    const reference = referenceTo(this.byValue.size + 1)
    this.byValue.set(value, reference)
    return reference
  }

  /** The base64 of a reference, for a field that must be base64. */
  encodedFor(value: string): string {
    return encode(this.for(value))
  }

  /** For a place within a longer text, where digits may follow: the reference ends with `;`. */
  within(value: string): string {
    return `${this.for(value)};`
  }

  values(): string[] {
    return [...this.byValue.keys()]
  }

  secrets(): Secrets {
    return Object.fromEntries([...this.byValue].map(([value, reference]) => [reference, value]))
  }
}

/** The text with every known reference replaced by its value, in one pass: values are not looked through again. */
export function restoreText(text: string, secrets: Secrets): string {
  const known = (reference: string): string | undefined =>
    Object.hasOwn(secrets, reference) ? secrets[reference] : undefined
  if (text.startsWith(ENCODED_PREFIX)) return known(decode(text)) ?? text
  return text.replace(REFERENCE, (match) => known(match.replace(';', '')) ?? match)
}
