import {
  ASSIGNMENT,
  DSN_PASSWORD,
  isHarmless,
  isPrivateKey,
  isSecretName,
  isSecretValue,
  URL_PASSWORD,
} from './credential-patterns.js'
import { looksLikeReference, outsideReferences, type References } from './references.js'

/** A shorter value may stand somewhere else by coincidence. */
const MIN_COPY = 6

/**
 * A text with the credentials in it replaced, and the rest as it is. A text that holds a reference already, by the
 * user's own hand, is replaced as a whole: it could not be told from ours.
 */
export function withoutCredentials(text: string, references: References): string {
  if (looksLikeReference(text) || isPrivateKey(text) || isSecretValue(text)) return references.for(text)
  const steps = [
    (piece: string) =>
      piece.replace(URL_PASSWORD, (_, head: string, password: string) => head + hidden(password, references)),
    (piece: string) =>
      piece.replace(DSN_PASSWORD, (_, head: string, password: string) => head + hidden(password, references)),
    (piece: string) => piece.replace(ASSIGNMENT, (...match: string[]) => assigned(match, references)),
  ]
  // Each step leaves alone what the one before has put in.
  return steps.reduce((sum, step) => outsideReferences(sum, step), text)
}

const hidden = (value: string, references: References): string => (isHarmless(value) ? value : references.within(value))

function assigned([match = '', name = '', mark = '', value = '']: string[], references: References): string {
  return isSecretName(name) ? name + mark + hidden(value, references) : match
}

/** A text without the values that were found elsewhere, the longest first. */
export function withoutCopies(text: string, references: References): string {
  const values = references.values().filter((value) => value.length >= MIN_COPY && text.includes(value))
  return values
    .sort((a, b) => b.length - a.length)
    .reduce(
      (sum, value) => outsideReferences(sum, (piece) => piece.replaceAll(value, () => references.within(value))),
      text,
    )
}
