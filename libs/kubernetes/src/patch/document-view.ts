import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { type Document } from 'yaml'
import { type Json } from '../input/kubernetes-object.js'
import { toPlain } from '../input/plain-value.js'
import { parseOptions } from '../input/yaml-file.js'
import { PLAIN_STYLE, type Style } from './print-yaml.js'

export type BlockOrFlow = YAMLMap<Node, Node | null> | YAMLSeq<Node | null>
export type MapPair = Pair<Node, Node | null>

/** A document's text with what it means and where its parts stand. */
export interface DocumentView {
  readonly text: string
  readonly document: Document.Parsed
  readonly value: Json
  readonly style: Style
}

/** Reads the text of exactly one document. Throws when it is not valid. */
export function viewDocument(text: string): DocumentView {
  const document = parseDocument(text, parseOptions)
  const error = document.errors[0]
  if (error) throw error
  return { text, document, value: plainOf(document), style: styleOf(text, document) }
}

export const plainOf = (document: Document, node?: Node | null): Json => toPlain(document, () => 'the document', node)

function styleOf(text: string, document: Document.Parsed): Style {
  const newline = /\r\n/.test(text) ? '\r\n' : '\n'
  const json = /^(---)?\s*[{[]\s*["\]}]/.test(text) ? jsonStyle(text) : null
  const padFlow = /[{[] +[^\s}\]]/.test(text)
  return { ...PLAIN_STYLE, newline, json, padFlow, ...indentation(text, document) }
}

const jsonStyle = (text: string): Style['json'] => ({
  level: /[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? '',
  colon: /":\s/.test(text) ? ': ' : ':',
})

/** The first nested map tells the step, the first list below a key whether lists are indented. */
function indentation(text: string, document: Document.Parsed): Partial<Style> {
  const found: { step?: number; indentLists?: boolean } = {}
  visit(document, {
    Pair: (_, pair, path) => {
      const parent = path.at(-1)
      const value = pair.value
      if (!isCollection(value) || value.flow || !isMap(parent) || !isOnLaterLine(text, pair as MapPair)) return
      const inside = columnOf(text, startOf(value)) - columnOf(text, startOf(pair.key as Node))
      if (isSeq(value)) found.indentLists ??= inside > 0
      else if (inside > 0) found.step ??= inside
    },
  })
  return found
}

export const startOf = (node: Node): number => node.range?.[0] ?? 0

export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

/** The end of the line on which an offset stands, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end < 0) return text.length
  return end > offset && text[end - 1] === '\r' ? end - 1 : end
}

export const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset)

export const isFirstOnLine = (text: string, offset: number): boolean =>
  text.slice(lineStart(text, offset), offset).trim() === ''

export const isFlow = (node: Node | null): boolean => isCollection(node) && node.flow === true

/** The offset after a pair's colon; that after the key where there is none. */
export function colonEnd(pair: MapPair): number {
  const colon =
    pair.srcToken && 'sep' in pair.srcToken ? pair.srcToken.sep?.find((t) => t.type === 'map-value-ind') : undefined
  return colon ? colon.offset + 1 : (pair.key.range?.[1] ?? 0)
}

/** The offset of the dash of a list's item, in block style. */
export function dashOf(seq: YAMLSeq<Node | null>, index: number): number {
  const token = seq.srcToken
  const marks =
    token?.type === 'block-seq' ? token.items.map((i) => i.start.find((t) => t.type === 'seq-item-ind')) : []
  return marks.filter((mark) => mark !== undefined)[index]?.offset ?? startOf(seq)
}

export const isOnLaterLine = (text: string, pair: MapPair): boolean =>
  pair.value !== null && lineStart(text, colonEnd(pair)) < lineStart(text, startOf(pair.value))

/** Where a node's own text ends: before comments and blank lines that follow it. */
export function contentEnd(text: string, node: Node | null): number {
  if (isCollection(node) && !node.flow && node.items.length) {
    return isMap(node) ? pairEnd(text, node.items.at(-1) as MapPair) : listEnd(text, node as YAMLSeq<Node | null>)
  }
  const end = node?.range?.[1] ?? 0
  return isBlockScalar(node) ? end - lineBreakBefore(text, end) : end
}

const lineBreakBefore = (text: string, end: number): number =>
  /\r?\n$/.exec(text.slice(Math.max(0, end - 2), end))?.[0].length ?? 0

function listEnd(text: string, seq: YAMLSeq<Node | null>): number {
  const last = seq.items.at(-1) ?? null
  return Math.max(dashOf(seq, seq.items.length - 1) + 1, last ? contentEnd(text, last) : 0)
}

export const pairEnd = (text: string, pair: MapPair): number =>
  Math.max(colonEnd(pair), pair.value ? contentEnd(text, pair.value) : 0)

const isBlockScalar = (node: Node | null): boolean =>
  isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED)

/** Every comment of a document, in order, without its `#`. */
export function commentsOf(document: Document): string[] {
  const comments: (string | null | undefined)[] = [document.commentBefore]
  visit(document, (_, node) => {
    if (isPair(node) || !('comment' in (node as object))) return
    const { commentBefore, comment } = node as Node
    comments.push(commentBefore, comment)
  })
  return [...comments, document.comment].filter((c) => typeof c === 'string').flatMap((c) => c.split('\n'))
}
