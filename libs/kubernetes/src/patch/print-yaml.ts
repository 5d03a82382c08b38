import { Document, isScalar, type Node, Scalar, stringify, visit } from 'yaml'
import { type Json } from '../input/kubernetes-object.js'

/** How a document is written, so that what is added looks like what is there. */
export interface Style {
  /** Columns of one level. */
  readonly step: number
  /** Whether a list stands further in than its key. */
  readonly indentLists: boolean
  /** `{ a: 1 }` rather than `{a: 1}`. */
  readonly padFlow: boolean
  /** JSON: keys and texts in double quotes, nothing but brackets. `level` is what indents a level; '' for one line. */
  readonly json: { readonly level: string; readonly colon: ':' | ': ' } | null
  readonly newline: '\n' | '\r\n'
}

export const PLAIN_STYLE: Style = { step: 2, indentLists: true, padFlow: false, json: null, newline: '\n' }

/** Quotes whatever YAML 1.1 or 1.2 could take for something else, so every reader reads the same. */
const optionsOf = (style: Style) =>
  ({
    version: '1.1',
    compat: 'core',
    lineWidth: 0,
    blockQuote: 'literal',
    indent: style.step,
    indentSeq: style.indentLists,
    flowCollectionPadding: style.padFlow,
    aliasDuplicateObjects: false,
  }) as const

/** A value to print; the quotes of the text it takes the place of are kept. */
export interface Printable {
  readonly value: Json
  readonly like?: Scalar | null
}

function nodeOf({ value, like }: Printable): Node | null {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && isAwkward(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE
    },
  })
  const node = document.contents
  const isText = isScalar(node) && typeof value === 'string' && typeof like?.value === 'string'
  if (isText && !isAwkward(value) && like.type !== Scalar.PLAIN) node.type = like.type
  return node
}

/** Several lines whose blanks at an edge a block text would show badly, or a mover of its lines would lose. */
const isAwkward = (text: string): boolean => text.includes('\n') && /^\s|[ \t](\n|$)|\n\n$|[\t\r]/.test(text)

/** A whole document with a line end. */
export function printDocument(value: Json, style: Style): string {
  const printed = style.json
    ? `${JSON.stringify(value, null, style.json.level)}\n`
    : stringify(nodeOf({ value }), optionsOf(style))
  return printed.replaceAll('\n', style.newline)
}

/** What follows `key:` or `-` in block style, from its space or line break on; later lines stand `column` further in. */
export function printAfter(mark: ':' | '-', printable: Printable, column: number, style: Style): string {
  const node = nodeOf(printable)
  const printed =
    mark === ':' ? stringify({ k: node }, optionsOf(style)).slice(2) : stringify([node], optionsOf(style)).slice(1)
  return indented(withoutEnd(printed), ' '.repeat(column), style)
}

/** A value for a place within brackets: one line in flow style, in JSON as its levels ask; `margin` leads later lines. */
export function printFlow(printable: Printable, margin: string, style: Style): string {
  if (style.json) return indented(JSON.stringify(printable.value, null, style.json.level), margin, style)
  return withoutEnd(stringify(nodeOf(printable), { ...optionsOf(style), collectionStyle: 'flow' }))
}

export const printKey = (key: string, style: Style): string =>
  style.json ? JSON.stringify(key) : withoutEnd(stringify(key, optionsOf(style)))

/** The line end after a block text that ends in blank lines is part of its value; elsewhere it is dropped. */
const withoutEnd = (text: string): string => text.replace(/\n$/, '')

function indented(text: string, margin: string, style: Style): string {
  const [first = '', ...rest] = text.split('\n')
  return [first, ...rest.map((line) => (line === '' ? '' : margin + line))].join(style.newline)
}
