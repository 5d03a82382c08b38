import { InputError } from '@ordeal/shared'
import { type Alias, type Document, isAlias, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from 'yaml'
import { aliasTargets } from './alias-targets.js'
import { type Json, type JsonMap } from './kubernetes-object.js'

/** Bounds of what one document may expand to: aliases can make a small text huge. */
const MAX_NODES = 500_000
const MAX_CHARACTERS = 20_000_000
const MAX_DEPTH = 100

const NO_TEMPLATE = 'Quote it; a template must be rendered first'

type Place = (node: Node) => string

/** A merge key `<<`: its value's entries count as the map's own unless the map has them itself. */
export const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && key.source === '<<' && (key.type === Scalar.PLAIN || key.type === undefined)

/** A map's key as JSON has it: a number or a truth value becomes text. */
export function keyText(key: unknown): string | null {
  if (!isScalar(key)) return null
  return typeof key.value === 'symbol' ? '<<' : String(key.value)
}

class PlainReader {
  private nodes = 0
  private characters = 0
  private readonly open = new Set<Node>()

  constructor(
    private readonly document: Document,
    private readonly place: Place,
  ) {}

  read(node: Node | null, depth = 0): Json {
    if (node === null) return null
    this.count(node, depth)
    if (isAlias(node)) return this.alias(node, depth)
    if (isScalar(node)) return this.scalar(node)
    if (this.open.has(node)) throw new InputError('an alias stands inside its own anchor', this.place(node))
    this.open.add(node)
    const value = isSeq(node)
      ? (node.items as (Node | null)[]).map((item) => this.read(item, depth + 1))
      : this.map(node, depth + 1)
    this.open.delete(node)
    return value
  }

  private count(node: Node, depth: number): void {
    this.nodes += 1
    if (this.nodes > MAX_NODES || this.characters > MAX_CHARACTERS) {
      throw new InputError('the document grows too large when its aliases are followed', this.place(node))
    }
    if (depth > MAX_DEPTH) throw new InputError(`nested deeper than ${MAX_DEPTH} levels`, this.place(node))
  }

  private alias(node: Alias, depth: number): Json {
    const source = aliasTargets(this.document).get(node)
    if (!source) throw new InputError(`the alias *${node.source} has no anchor before it`, this.place(node))
    return this.read(source, depth + 1)
  }

  private scalar(node: Scalar): Json {
    const { value } = node
    if (typeof value === 'string') {
      this.characters += value.length
      return value
    }
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value
      // The library takes a lone dot, which names a folder, for a number.
      if (node.source === '.') return node.source
      throw new InputError(`${node.source} is not a number that JSON has`, this.place(node))
    }
    return node.source ?? ''
  }

  private map(node: YAMLMap, depth: number): JsonMap {
    const own: JsonMap = {}
    const merged: JsonMap[] = []
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      if (isMergeKey(pair.key)) merged.push(...this.merge(pair.value, depth))
      else this.entry(own, pair, depth)
    }
    if (!merged.length) return own
    return Object.assign({}, ...merged.reverse(), own) as JsonMap
  }

  private entry(own: JsonMap, pair: Pair<Node, Node | null>, depth: number): void {
    const key = keyText(pair.key)
    if (key === null) throw new InputError('a key must be text', this.place(pair.key), NO_TEMPLATE)
    if (key === '__proto__') throw new InputError(`the key '${key}' is not allowed`, this.place(pair.key))
    if (Object.hasOwn(own, key))
      throw new InputError(`the key '${key}' stands here a second time`, this.place(pair.key))
    own[key] = this.read(pair.value, depth)
  }

  private merge(value: Node | null, depth: number): JsonMap[] {
    const merged = this.read(value, depth)
    const maps = Array.isArray(merged) ? merged : [merged]
    if (maps.every((m): m is JsonMap => typeof m === 'object' && m !== null && !Array.isArray(m))) return maps
    throw new InputError("what '<<' merges must be a map", value ? this.place(value) : null)
  }
}

/**
 * The plain JSON of a document's content (or of one node of it), aliases and merge keys followed. Throws InputError with
 * the place for a duplicate key, an alias loop, or a document that expands beyond its bounds.
 */
export function toPlain(document: Document, place: Place, node: Node | null = document.contents): Json {
  return new PlainReader(document, place).read(node)
}
