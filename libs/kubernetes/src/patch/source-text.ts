import { parseAllDocuments } from 'yaml'
import { parseOptions } from '../input/yaml-file.js'

/**
 * The documents of a file as pieces of its text; joined, they are the file again. A piece begins at its `---`, the first
 * at the head of the file, and ends where the next begins.
 */
export function splitDocuments(content: string): string[] {
  const documents = parseAllDocuments(content, parseOptions)
  const starts = Array.isArray(documents) ? documents.slice(1).map((d) => d.range[0]) : []
  return [0, ...starts].map((start, index) => content.slice(start, starts[index] ?? content.length))
}

/** The file with one of its documents changed. */
export function withDocument(content: string, index: number, change: (document: string) => string): string {
  return splitDocuments(content)
    .map((document, i) => (i === index ? change(document) : document))
    .join('')
}

/** The file without one of its documents; the one that comes first then needs no `---`, but keeps it. */
export const withoutDocument = (content: string, index: number): string => withDocument(content, index, () => '')

/** True when nothing but comments and document marks is left. */
export function isBlank(content: string): boolean {
  const documents = parseAllDocuments(content, parseOptions)
  return !Array.isArray(documents) || documents.every((d) => d.contents === null || d.toJS() === null)
}
