import { createHash } from 'node:crypto'
import { artefactId, type ArtefactId } from '../ids.js'

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sorted = (_key: string, value: unknown): unknown =>
  isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

/**
 * The one JSON text of a document: keys in code-unit order, no white space, `undefined` left out. What JSON cannot say
 * (functions, symbols) is left out too; a bigint or a cycle throws a TypeError.
 */
export function canonicalJson(body: unknown): string {
  return JSON.stringify(body, sorted) ?? 'null'
}

/** The content address of a canonical JSON text. */
export function hashOf(canonical: string): ArtefactId {
  return artefactId.parse(`sha256:${createHash('sha256').update(canonical).digest('hex')}`)
}
