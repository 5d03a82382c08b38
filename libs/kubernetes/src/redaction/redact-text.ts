import { type Secrets } from './references.js'

const MASK = '••••'
/** Shorter values stand everywhere by coincidence; masking them would leave no text readable. */
const MIN_LENGTH = 4
/** A line of a longer secret (a key) that stands alone is told by this much. */
const MIN_LINE = 12

/**
 * A text (a log line, a message, a prompt) with every known credential masked: as it is, as base64, decoded from base64,
 * as JSON writes it, in a URL, and line by line. Values of fewer than 4 characters are not looked for.
 */
export function redactText(text: string, secrets: Secrets): string {
  const forms = [...new Set(Object.values(secrets).flatMap(formsOf))].filter((form) => text.includes(form))
  if (!forms.length) return text
  const longestFirst = forms.sort((a, b) => b.length - a.length).map(escaped)
  return text.replace(new RegExp(longestFirst.join('|'), 'g'), MASK)
}

/** A credential as it may be written: as it is, as base64, decoded, as JSON writes it, in a URL, and line by line. */
export function formsOf(value: string): string[] {
  const plain = [value, value.trim(), decoded(value)].filter((form) => form !== null)
  const written = plain.flatMap((form) => [
    form,
    base64(form),
    base64(form).replace(/=+$/, ''),
    inJson(form),
    inUrl(form),
  ])
  const lines = plain
    .flatMap((form) => form.split(/\r?\n/).map((line) => line.trim()))
    .filter((line) => line.length >= MIN_LINE)
  return [...written, ...lines].filter((form) => form.length >= MIN_LENGTH)
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const inUrl = (text: string): string => encodeURIComponent(text.toWellFormed())
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

/** What a value of `Secret.data` stands for, where that is text. */
function decoded(value: string): string | null {
  const compact = value.replace(/\s/g, '')
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return null
  const text = Buffer.from(compact, 'base64').toString()
  return text.includes('\uFFFD') || !text.trim() ? null : text.trim()
}
