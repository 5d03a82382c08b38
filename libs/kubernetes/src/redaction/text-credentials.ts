import {
  ASSIGNMENT,
  AUTHORIZATION,
  BEFORE_DIGEST,
  DSN_PASSWORD,
  isHarmless,
  isPrivateKey,
  isSecretName,
  isSecretValue,
  PRIVATE_KEY,
  URL_PARAMETER,
  URL_PASSWORD,
  URL_TOKEN,
  WORD,
} from './credential-patterns.js'
import { formsOf } from './redact-text.js'
import { looksLikeReference, outsideReferences, type References } from './references.js'

/** A shorter value may stand somewhere else by coincidence. */
const MIN_COPY = 6

/**
 * A text with the credentials in it replaced, and the rest as it is. A text that holds a reference already, by the
 * user's own hand, is replaced as a whole: it could not be told from ours.
 */
export function withoutCredentials(text: string, references: References): string {
  if (looksLikeReference(text) || isPrivateKey(text) || isSecretValue(text)) return references.for(text)
  return hideCredentials(text, (value) => references.within(value))
}

/** Every credential within a text, as it stands there; for texts that are no part of an object, such as a file. */
export function credentialsIn(text: string): string[] {
  const found: string[] = []
  const note = (value: string): string => {
    found.push(value)
    return `ordeal-secret:0;`
  }
  for (const [key] of text.matchAll(PRIVATE_KEY)) note(key)
  // An assignment in a file never goes on in the next line: that would be a map's first key.
  for (const line of text.replaceAll(PRIVATE_KEY, '').split('\n')) hideCredentials(line, note)
  return found
}

type Hide = (value: string) => string

function hideCredentials(text: string, hide: Hide): string {
  const hidden: Hide = (value) => (isHarmless(value) ? value : hide(value))
  const second = (_: string, head: string, value: string): string => head + hidden(value)
  const steps = [
    (piece: string) => piece.replace(URL_PASSWORD, second).replace(DSN_PASSWORD, second),
    (piece: string) => piece.replace(URL_PARAMETER, (...match: string[]) => parameter(match, hidden)),
    (piece: string) => piece.replace(AUTHORIZATION, second),
    (piece: string) => piece.replace(ASSIGNMENT, (...match: string[]) => assigned(match, hidden)),
    (piece: string) => piece.replace(URL_TOKEN, second),
    (piece: string) => piece.replace(WORD, (word, at: number) => tokenIn(word, piece.slice(0, at), hide)),
  ]
  // Each step leaves alone what the one before has put in.
  return steps.reduce((sum, step) => outsideReferences(sum, step), text)
}

/** A word that is a token, or has one between its slashes or after its equals sign. */
function tokenIn(word: string, before: string, hide: Hide): string {
  if (BEFORE_DIGEST.test(before)) return word
  const isPath = word.startsWith('/') || word.includes('//')
  if (!isPath && isSecretValue(word)) return hide(word)
  return word
    .split(/(?<=[/=])/)
    .map((piece) => {
      const [, token = '', end = ''] = /^(.*?)([/=.]*)$/.exec(piece) ?? []
      return isSecretValue(token) ? hide(token) + end : piece
    })
    .join('')
}

function assigned([match = '', name = '', mark = '', value = '']: string[], hidden: Hide): string {
  return isSecretName(name) && !AUTH_SCHEME.test(value) ? name + mark + hidden(value) : match
}

const parameter = ([match = '', mark = '', name = '', value = '']: string[], hidden: Hide): string =>
  isSecretName(name) ? `${mark}${name}=${hidden(value)}` : match

/** What follows it is the credential, not itself. */
const AUTH_SCHEME = /^(basic|bearer|token)$/i

/** A text without the values that were found elsewhere, in any form that they may be written in, the longest first. */
export function withoutCopies(text: string, references: References): string {
  const forms = references
    .values()
    .flatMap(formsOf)
    .filter((form) => form.length >= MIN_COPY && text.includes(form))
  return [...new Set(forms)]
    .sort((a, b) => b.length - a.length)
    .reduce(
      (sum, form) => outsideReferences(sum, (piece) => piece.replaceAll(form, () => references.within(form))),
      text,
    )
}
