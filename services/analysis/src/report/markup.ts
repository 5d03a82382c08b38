/**
 * Markup that is safe to print as it stands. Only the tags of this file make it, from literals and escaped values, so text of a
 * manifest, a user or a model cannot become an element: a string is data wherever it is put in.
 */
export class Markup {
  readonly #text: string
  constructor(strings: TemplateStringsArray, values: readonly Printable[]) {
    this.#text = strings.reduce((text, literal, i) => text + print(values[i - 1]) + literal)
  }
  toString(): string {
    return this.#text
  }
}

/** What may stand in a template: markup as it is, lists joined, text escaped, nothing for null and false. */
export type Printable = Markup | string | number | null | undefined | false | readonly Printable[]

/** Template of HTML or XML that escapes every value, for element content and quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: Printable[]): Markup {
  return new Markup(strings, values)
}

/** As `html`, for XML; a name of its own, since white space that means nothing in HTML may mean something there. */
export const xml = (strings: TemplateStringsArray, ...values: Printable[]): Markup => new Markup(strings, values)

/** A style sheet: literals only, since a value in it could not be escaped. */
export const css = (strings: TemplateStringsArray): Markup => new Markup(strings, [])

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const CONTROL = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu
/** They reorder the text around them, so a line of a diff could read as another than it is. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g

/** `text` for element content or a quoted attribute of HTML 5 and XML 1.0; what neither can carry becomes U+FFFD. */
export function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROL, '\ufffd')
    .replace(BIDI, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase()}]`)
    .replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c)
}

function print(value: Printable): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map(print).join('')
  return escape(String(value))
}
