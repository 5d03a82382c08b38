import { isDeepStrictEqual } from 'node:util'
import { isAlias, isCollection, isMap, isSeq, type Node, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import { aliasTargets } from '../input/alias-targets.js'
import { type Json, type JsonMap } from '../input/kubernetes-object.js'
import { isMergeKey, keyText } from '../input/plain-value.js'
import { type BlockOrFlow, type DocumentView, isFlow, type MapPair, plainOf, viewDocument } from './document-view.js'
import { insertItem, insertPair, type Place, removeChild, replaceNode, type Splice, spliced } from './splices.js'

/** Each step settles one difference; more than this means that a step does not do what it should. */
const MAX_STEPS = 2000

/** Thrown when a document cannot be brought to a value in place, for want of a way to write it. */
export class NotReconcilable extends Error {}

/**
 * The document's text, changed so that it means `wanted`, and otherwise as it is: what does not differ keeps every byte,
 * with its comments, order, quotes and anchors. Works difference by difference: find the first one, write it, read
 * again. What an alias or a merge key shares is written out where it must differ.
 */
export function reconcile(text: string, wanted: Json): string {
  let current = text
  for (let step = 0; step < MAX_STEPS; step++) {
    const view = read(current)
    if (isDeepStrictEqual(view.value, wanted)) return current
    const splice = firstDifference(view, wanted)
    if (!splice) throw new NotReconcilable('no difference found where there is one')
    const next = spliced(current, splice)
    if (next === current) throw new NotReconcilable('a difference cannot be written in place')
    current = next
  }
  throw new NotReconcilable(`more than ${MAX_STEPS} differences`)
}

function read(text: string): DocumentView {
  try {
    return viewDocument(text)
  } catch (error) {
    throw new NotReconcilable('the document cannot be read', { cause: error })
  }
}

function firstDifference(view: DocumentView, wanted: Json): Splice | null {
  return differ({ view, place: { at: 'root' } }, view.document.contents, wanted)
}

interface At {
  readonly view: DocumentView
  readonly place: Place
}

const inFlow = (place: Place): boolean => place.at !== 'root' && place.inFlow

function differ(at: At, node: Node | null, wanted: Json): Splice | null {
  const value = plainOf(at.view.document, node)
  if (isDeepStrictEqual(value, wanted)) return null
  if (isMap(node) && isJsonMap(wanted))
    return differInMap(at, node as YAMLMap<Node, Node | null>, [value as JsonMap, wanted])
  if (isSeq(node) && Array.isArray(wanted))
    return differInList(at, node as YAMLSeq<Node | null>, [value as Json[], wanted])
  return freeing(at.view, node) ?? replaceNode(at.view, at.place, node, wanted)
}

const isJsonMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** First what both have, then what is missing, then what is too much: a map is never empty in between. */
function differInMap(at: At, map: YAMLMap<Node, Node | null>, [value, wanted]: [JsonMap, JsonMap]): Splice | null {
  const flow = isFlow(map) || inFlow(at.place)
  const own = new Set(map.items.filter((pair) => !isMergeKey(pair.key)).map((pair) => keyText(pair.key) ?? ''))
  for (const pair of map.items as MapPair[]) {
    const below = isMergeKey(pair.key) ? undefined : wanted[keyText(pair.key) ?? '']
    const splice =
      below === undefined
        ? null
        : differ({ view: at.view, place: { at: 'pair', pair, inFlow: flow } }, pair.value, below)
    if (splice) return splice
  }
  const missing = Object.entries(wanted).find(([key, v]) => !own.has(key) && !isDeepStrictEqual(v, value[key]))
  if (missing) return freeingEmpty(at.view, map) ?? insertPair(at.view, at.place, map, missing)
  const tooMuch = map.items.findIndex((pair) => isTooMuch(pair, at.view, wanted))
  return tooMuch < 0 ? null : removal(at, map, tooMuch)
}

/** A merge key goes as soon as it brings one key that is not wanted; the others are then missing and written out. */
function isTooMuch(pair: MapPair, view: DocumentView, wanted: JsonMap): boolean {
  if (!isMergeKey(pair.key)) return !Object.hasOwn(wanted, keyText(pair.key) ?? '')
  const merged = plainOf(view.document, pair.value)
  return [merged].flat().some((map) => isJsonMap(map) && Object.keys(map).some((key) => !Object.hasOwn(wanted, key)))
}

/** Items that are the same at the head and at the tail stay; those between are taken one by one. */
function differInList(at: At, seq: YAMLSeq<Node | null>, [value, wanted]: [Json[], Json[]]): Splice | null {
  const head = sameHead(value, wanted)
  const rest = Math.min(value.length, wanted.length) - head
  const tail = Math.min(rest, sameHead([...value].reverse(), [...wanted].reverse()))
  if (value.length - head - tail > 0 && wanted.length - head - tail > 0) {
    const place: Place = { at: 'item', seq, index: head, inFlow: isFlow(seq) || inFlow(at.place) }
    return differ({ view: at.view, place }, seq.items[head] ?? null, wanted[head] ?? null)
  }
  if (wanted.length > value.length) {
    return freeingEmpty(at.view, seq) ?? insertItem(at.view, at.place, seq, [head, wanted[head] ?? null])
  }
  return removal(at, seq, head)
}

function sameHead(a: readonly Json[], b: readonly Json[]): number {
  const index = a.findIndex((item, i) => i >= b.length || !isDeepStrictEqual(item, b[i]))
  return index < 0 ? Math.min(a.length, b.length) : index
}

function removal(at: At, node: BlockOrFlow, index: number): Splice {
  const child = node.items[index] as MapPair | Node | null
  const isLast = node.items.length === 1
  const gone = child && 'key' in child ? child.value : child
  return freeing(at.view, isLast ? node : gone) ?? removeChild(at.view, at.place, node, index)
}

/** An empty collection is written anew when it gets its first child, and loses its anchor. */
const freeingEmpty = (view: DocumentView, node: BlockOrFlow): Splice | null =>
  node.items.length ? null : freeing(view, node)

/** An anchor that is about to go, but is still used elsewhere: writes out the first alias that uses it. */
function freeing(view: DocumentView, gone: Node | null): Splice | null {
  const inside = new Set<unknown>()
  if (gone) visit(gone, (_, node) => void inside.add(node))
  const targets = aliasTargets(view.document)
  let found: Splice | null = null
  visit(view.document, {
    Alias: (key, alias, path) => {
      if (inside.has(alias) || !inside.has(targets.get(alias))) return
      const place = placeOf(key, path as readonly (Node | MapPair)[])
      found = place && replaceNode(view, place, alias, plainOf(view.document, alias))
      return visit.BREAK
    },
  })
  return found
}

function placeOf(key: number | 'key' | 'value' | null, path: readonly (Node | MapPair)[]): Place | null {
  const parent = path.at(-1)
  const isInFlow = path.some((node) => isCollection(node) && node.flow === true)
  if (isSeq(parent) && typeof key === 'number')
    return { at: 'item', seq: parent as YAMLSeq<Node | null>, index: key, inFlow: isInFlow }
  return parent && 'key' in parent && !isAlias(parent) ? { at: 'pair', pair: parent, inFlow: isInFlow } : null
}
