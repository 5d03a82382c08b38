import { InputError } from '@ordeal/shared'
import { type Document, isAlias, isMap, isSeq, LineCounter, type Node, parseAllDocuments, type Tags } from 'yaml'
import { aliasTargets } from './alias-targets.js'
import { type Json } from './kubernetes-object.js'
import { keyText, toPlain } from './plain-value.js'

/** A file of a bundle. */
export interface TextFile {
  readonly path: string
  readonly content: string
  /** Given for a packed chart, which is no text. */
  readonly encoding?: 'base64' | undefined
}

/** One document of a YAML (or JSON) file. */
export interface YamlDocument {
  readonly document: Document.Parsed
  readonly value: Json
}

export interface YamlFile {
  readonly documents: readonly YamlDocument[]
  /** The line, from 1, on which an offset of the content stands. */
  lineAt(offset: number): number
}

/** kubectl reads timestamps and 1:30 as text, unlike YAML 1.1 itself. */
const likeKubectl = (tags: Tags): Tags =>
  tags.filter((t) => typeof t === 'string' || !(t.tag.endsWith(':timestamp') || t.format === 'TIME'))

/**
 * How Kubernetes' own tools read YAML: version 1.1 (`0644` is octal, `on` is true) without its times. Duplicate keys are
 * found by `toPlain`, because the library's own check takes quadratic time.
 */
export const parseOptions = {
  version: '1.1',
  schema: 'yaml-1.1',
  customTags: likeKubectl,
  uniqueKeys: false,
  prettyErrors: false,
  keepSourceTokens: true,
} as const

const parsed = new WeakMap<TextFile, YamlFile>()

/** Reads a file's documents; the same file object is read once. Throws InputError with file and line. */
export function parseYamlFile(file: TextFile): YamlFile {
  const known = parsed.get(file)
  if (known) return known
  const fresh = parse(file)
  parsed.set(file, fresh)
  return fresh
}

/** The same, or null for a file that another, more lenient reader takes and we do not. */
export function readableYaml(file: TextFile): YamlFile | null {
  try {
    return parseYamlFile(file)
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

function parse(file: TextFile): YamlFile {
  const lines = new LineCounter()
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line)
  const place = (node: Node): string => `${file.path}:${lineAt(node.range?.[0] ?? 0)}`
  const documents = composed(file, lines).map((document) => {
    const error = document.errors[0]
    if (error) throw new InputError(...invalid(file, lineAt(error.pos[0]), error.message))
    return { document, value: toPlain(document, place) }
  })
  return { documents, lineAt }
}

/** No manifest opens so many brackets at once; reading them takes seconds before it fails. */
const BRACKETS = /(?:[[{]\s{0,8}){200}/

function composed(file: TextFile, lineCounter: LineCounter): Document.Parsed[] {
  if (BRACKETS.test(file.content)) throw new InputError('invalid YAML: nested too deep', `${file.path}:1`)
  try {
    const documents = parseAllDocuments(file.content, { ...parseOptions, lineCounter })
    return Array.isArray(documents) ? documents : []
  } catch (error) {
    if (error instanceof RangeError) throw new InputError('invalid YAML: nested too deep', `${file.path}:1`)
    throw error
  }
}

function invalid(file: TextFile, line: number, message: string): [string, string, string | null] {
  const source = file.content.split('\n', line)[line - 1] ?? ''
  const remedy = source.includes('{{') ? 'This looks like a template; give the rendered manifest or the chart' : null
  // The library may end its message with a piece of the source, which may be a credential.
  const what = message.includes('call stack') ? 'nested too deep' : message.replace(/: ("[^]*"|[|>].*)$/, '')
  return [`invalid YAML: ${what}`, `${file.path}:${line}`, remedy]
}

/** The offset at which a path stands: its key or list item, or the deepest one that exists on the way there. */
export function offsetAt(document: Document.Parsed, path: readonly string[]): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const segment of path) {
    const next = stepInto(isAlias(node) ? (aliasTargets(document).get(node) ?? null) : node, segment)
    if (!next) break
    offset = next.offset
    node = next.node
  }
  return offset
}

function stepInto(node: Node | null, segment: string): { offset: number; node: Node | null } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => keyText(item.key) === segment)
    return pair ? { offset: (pair.key as Node).range?.[0] ?? 0, node: pair.value as Node | null } : null
  }
  const item = isSeq(node) ? (node.items[Number(segment)] as Node | undefined) : undefined
  return item ? { offset: item.range?.[0] ?? 0, node: item } : null
}
