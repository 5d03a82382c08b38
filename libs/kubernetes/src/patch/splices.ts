import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml'
import { type Json } from '../input/kubernetes-object.js'
import {
  type BlockOrFlow,
  colonEnd,
  columnOf,
  contentEnd,
  dashOf,
  type DocumentView,
  isFirstOnLine,
  isFlow,
  isOnLaterLine,
  lineEnd,
  lineStart,
  type MapPair,
  pairEnd,
  startOf,
} from './document-view.js'
import { printAfter, printFlow, printKey } from './print-yaml.js'

/** A piece of text in place of another. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Where a node hangs: the value of a map's pair, an item of a list, or the document itself. */
export type Place =
  | { readonly at: 'root' }
  | { readonly at: 'pair'; readonly pair: MapPair; readonly inFlow: boolean }
  | { readonly at: 'item'; readonly seq: YAMLSeq<Node | null>; readonly index: number; readonly inFlow: boolean }

/** Keys that readers look for first; put at the head of their map rather than its end. */
const LEADING_KEYS = new Set(['replicas'])

export const spliced = (text: string, splice: Splice): string =>
  text.slice(0, splice.start) + splice.text + text.slice(splice.end)

/** Puts another value in place of a node. A comment at the end of its first line stays. */
export function replaceNode(view: DocumentView, place: Place, node: Node | null, value: Json): Splice {
  if (place.at === 'root') return replaceRoot(view, node, value)
  if (place.inFlow) return replaceInFlow(view, place, node, value)
  return place.at === 'pair' ? replaceAfterColon(view, place.pair, value) : replaceAfterDash(view, place, node, value)
}

const like = (node: Node | null): Scalar | null => (isScalar(node) ? node : null)

function replaceRoot(view: DocumentView, node: Node | null, value: Json): Splice {
  const start = node ? startOf(node) : view.text.length
  return { start, end: node ? contentEnd(view.text, node) : start, text: printFlow({ value }, '', view.style) }
}

function replaceInFlow(view: DocumentView, place: Place, node: Node | null, value: Json): Splice {
  const { text, style } = view
  const printed = printFlow({ value, like: like(node) }, leadingSpace(text, node ? startOf(node) : 0), style)
  const end = node ? contentEnd(text, node) : 0
  if (place.at !== 'pair') return { start: propsStart(view, node), end, text: printed }
  return replaceFlowValue(view, place.pair, end, printed)
}

/** Keeps the space, or lack of it, after the colon; writes the colon where a key stands alone. */
function replaceFlowValue({ text, style }: DocumentView, pair: MapPair, nodeEnd: number, printed: string): Splice {
  const start = colonEnd(pair)
  const end = Math.max(start, nodeEnd)
  const colon = text[start - 1] === ':' ? '' : ':'
  const space = /^\s*/.exec(text.slice(start, end))?.[0] ?? ''
  return { start, end, text: colon + (space || (style.json?.colon === ':' ? '' : ' ')) + printed }
}

/** Anchors and tags stand before the node's own range. */
function propsStart(view: DocumentView, node: Node | null): number {
  const start = node ? startOf(node) : 0
  const props = /(?:[&!][^\s,[\]{}]*\s+)+$/.exec(view.text.slice(lineStart(view.text, start), start))
  return start - (props?.[0].length ?? 0)
}

function replaceAfterColon(view: DocumentView, pair: MapPair, value: Json): Splice {
  const { text, style } = view
  const start = colonEnd(pair)
  const column = columnOf(text, startOf(pair.key))
  const printed = printAfter(':', { value, like: like(pair.value) }, column, style)
  const contents = pairEnd(text, pair)
  const restOfLine = text.slice(
    isOnLaterLine(text, pair) ? start : contents,
    lineEnd(text, isOnLaterLine(text, pair) ? start : contents),
  )
  return { start, end: lineEnd(text, contents), text: withComment(printed, restOfLine) }
}

function replaceAfterDash(
  view: DocumentView,
  place: { seq: YAMLSeq<Node | null>; index: number },
  node: Node | null,
  value: Json,
): Splice {
  const { text, style } = view
  const dash = dashOf(place.seq, place.index)
  const contents = Math.max(dash + 1, node ? contentEnd(text, node) : 0)
  const printed = printAfter('-', { value, like: like(node) }, columnOf(text, dash), style)
  return {
    start: dash + 1,
    end: lineEnd(text, contents),
    text: withComment(printed, text.slice(contents, lineEnd(text, contents))),
  }
}

/** The comment of the line that is written anew goes to the end of the first new line. */
function withComment(printed: string, restOfLine: string): string {
  const comment = /(?:^|\s)\s*#.*$/.exec(restOfLine)?.[0] ?? ''
  const [first = '', ...more] = printed.split('\n')
  const isCut = first.endsWith('\r')
  return [(isCut ? first.slice(0, -1) : first) + comment + (isCut ? '\r' : ''), ...more].join('\n')
}

/** Adds a pair to a map: at its end, or at its head for the keys that lead. */
export function insertPair(
  view: DocumentView,
  place: Place,
  map: YAMLMap<Node, Node | null>,
  entry: [string, Json],
): Splice {
  const last = map.items.at(-1)
  if (!last) return replaceNode(view, place, map, { [entry[0]]: entry[1] })
  return isFlow(map) ? insertInFlow(view, map, entry) : insertInBlock(view, place, map, entry)
}

function insertInBlock(
  view: DocumentView,
  place: Place,
  map: YAMLMap<Node, Node | null>,
  [key, value]: [string, Json],
): Splice {
  const { text, style } = view
  const first = map.items[0] as MapPair
  const column = columnOf(text, startOf(first.key))
  const line = `${style.newline}${' '.repeat(column)}${printKey(key, style)}:${printAfter(':', { value }, column, style)}`
  const isHead = LEADING_KEYS.has(key) && place.at === 'pair' && isOnLaterLine(text, place.pair)
  const at = lineEnd(text, isHead ? colonEnd(place.pair) : pairEnd(text, map.items.at(-1) as MapPair))
  return { start: at, end: at, text: line }
}

function insertInFlow(view: DocumentView, node: BlockOrFlow, entry: [string | null, Json]): Splice {
  const { text, style } = view
  const last = node.items.at(-1) as MapPair | Node
  const end = 'key' in last ? pairEnd(text, last) : contentEnd(text, last)
  const start = 'key' in last ? startOf(last.key) : startOf(last)
  const isMultiLine = lineStart(text, start) !== lineStart(text, startOf(node))
  const margin = leadingSpace(text, start)
  const [key, value] = entry
  const printed =
    (key === null ? '' : printKey(key, style) + (style.json?.colon ?? ': ')) + printFlow({ value }, margin, style)
  const gap = isMultiLine ? style.newline + margin : style.json?.colon === ':' ? '' : ' '
  return { start: end, end, text: `,${gap}${printed}` }
}

function leadingSpace(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? ''
}

/** Adds an item to a list before `index`. */
export function insertItem(
  view: DocumentView,
  place: Place,
  seq: YAMLSeq<Node | null>,
  [index, value]: [number, Json],
): Splice {
  const { text, style } = view
  if (!seq.items.length) return replaceNode(view, place, seq, [value])
  if (isFlow(seq)) return index > 0 ? insertAfterInFlow(view, seq, [index, value]) : insertFirstInFlow(view, seq, value)
  const column = columnOf(text, dashOf(seq, 0))
  const item = `-${printAfter('-', { value }, column, style)}`
  if (index === 0) {
    const at = dashOf(seq, 0)
    return { start: at, end: at, text: `${item}${style.newline}${' '.repeat(column)}` }
  }
  const at = lineEnd(text, itemEnd(text, seq, index - 1))
  return { start: at, end: at, text: `${style.newline}${' '.repeat(column)}${item}` }
}

function insertAfterInFlow(view: DocumentView, seq: YAMLSeq<Node | null>, [index, value]: [number, Json]): Splice {
  if (index === seq.items.length) return insertInFlow(view, seq, [null, value])
  const at = itemEnd(view.text, seq, index - 1)
  return { start: at, end: at, text: `, ${printFlow({ value }, leadingSpace(view.text, at), view.style)}` }
}

function insertFirstInFlow(view: DocumentView, seq: YAMLSeq<Node | null>, value: Json): Splice {
  const at = propsStart(view, seq.items[0] ?? null)
  return { start: at, end: at, text: `${printFlow({ value }, leadingSpace(view.text, at), view.style)}, ` }
}

const itemEnd = (text: string, seq: YAMLSeq<Node | null>, index: number): number => {
  const item = seq.items[index] ?? null
  return Math.max(isFlow(seq) ? 0 : dashOf(seq, index) + 1, item ? contentEnd(text, item) : 0)
}

/** Takes a pair or an item out of its collection; comments above it stay. The last one leaves `{}` or `[]` behind. */
export function removeChild(view: DocumentView, place: Place, node: BlockOrFlow, index: number): Splice {
  if (node.items.length === 1) return replaceNode(view, place, node, isMap(node) ? {} : [])
  const span = (i: number): { start: number; end: number } => childSpan(view, node, i)
  const { start, end } = span(index)
  const isLast = index === node.items.length - 1
  if (!isFlow(node) && isFirstOnLine(view.text, start)) return removeLines(view.text, start, end)
  return isLast ? { start: span(index - 1).end, end, text: '' } : { start, end: span(index + 1).start, text: '' }
}

function childSpan(view: DocumentView, node: BlockOrFlow, index: number): { start: number; end: number } {
  const { text } = view
  if (isSeq(node)) {
    const item = node.items[index] as Node | null
    return { start: isFlow(node) ? propsStart(view, item) : dashOf(node, index), end: itemEnd(text, node, index) }
  }
  const pair = node.items[index] as MapPair
  return { start: startOf(pair.key), end: pairEnd(text, pair) }
}

function removeLines(text: string, start: number, end: number): Splice {
  const next = text.indexOf('\n', end)
  if (next >= 0) return { start: lineStart(text, start), end: next + 1, text: '' }
  // The last line of a text without a line end: take the break before it.
  const from = lineStart(text, start)
  return { start: Math.max(0, from - (text[from - 2] === '\r' ? 2 : 1)), end: text.length, text: '' }
}
